// SPDX-License-Identifier: MIT
// Uses zlib and libzstd directly. libarchive's gzip filter does not check the length and the CRC after each member,
// and accepts any bytes after a member as its end, so truncated and damaged files would pass.
#include "io/compression.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <new>
#include <stdexcept>
#include <string_view>

#include "core/diagnostic.h"
#include "io/document_limit.h"

namespace convert {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b\x08";
constexpr std::string_view zstd_magic = "\x28\xb5\x2f\xfd";

class CompressedInput : public Input {
 protected:
  explicit CompressedInput(std::unique_ptr<Input> source)
      : Input(source->name(), std::nullopt), source_(std::move(source)) {}

 public:
  [[nodiscard]] std::optional<std::uint64_t> compressed_bytes() const override {
    if (const auto outer = source_->compressed_bytes()) return outer;
    return source_->size().value_or(source_->offset());
  }

 protected:
  [[nodiscard]] Error failure(const std::string& message) const {
    return input_error({.file = name(), .offset = static_cast<std::int64_t>(source_->offset())}, message);
  }
  // Counts decompressed bytes, and throws if there are too many.
  std::size_t counted(std::size_t bytes) {
    expanded_ += bytes;
    check_stream(*this, expanded_);
    return bytes;
  }
  Input& source() { return *source_; }

 private:
  std::unique_ptr<Input> source_;
  std::uint64_t expanded_ = 0;
};

class GzipInput final : public CompressedInput {
 public:
  explicit GzipInput(std::unique_ptr<Input> source) : CompressedInput(std::move(source)) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~GzipInput() override { inflateEnd(&stream_); }

 protected:
  std::size_t fill(char* to, std::size_t n) override {
    n = std::min<std::size_t>(n, UINT_MAX);
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(n);
    while (stream_.avail_out == n) {
      if (between_members_ && !next_member()) return 0;
      const std::string_view bytes = source().peek(1);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream_.avail_in = static_cast<uInt>(std::min<std::size_t>(bytes.size(), UINT_MAX));
      const uInt given = stream_.avail_in;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      source().skip(given - stream_.avail_in);
      if (result == Z_STREAM_END) {
        between_members_ = true;
      } else if (result == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        throw failure(std::string("damaged gzip data: ") +
                      (stream_.msg != nullptr ? stream_.msg : "unknown error"));
      } else if (given == 0 && stream_.avail_out == n) {
        throw failure("compressed data ends early");
      }
    }
    return counted(n - stream_.avail_out);
  }

 private:
  // After a member: another one, the end, or zero bytes up to the end (block padding, which gzip(1) accepts too).
  bool next_member() {
    const std::string_view head = source().peek(gzip_magic.size());
    if (head.starts_with(gzip_magic.substr(0, std::min(head.size(), gzip_magic.size()))) && !head.empty()) {
      inflateReset(&stream_);
      between_members_ = false;
      return true;
    }
    for (std::string_view rest = head; !rest.empty(); rest = source().peek(1)) {
      const std::size_t zeros = std::min(rest.find_first_not_of('\0'), rest.size());
      source().skip(zeros);
      if (zeros != rest.size()) throw failure("unexpected bytes after the gzip data");
    }
    return false;
  }

  z_stream stream_{};
  bool between_members_ = false;
};

class ZstdInput final : public CompressedInput {
 public:
  explicit ZstdInput(std::unique_ptr<Input> source)
      : CompressedInput(std::move(source)), context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdInput() override { ZSTD_freeDCtx(context_); }

 protected:
  std::size_t fill(char* to, std::size_t n) override {
    ZSTD_outBuffer out{to, n, 0};
    while (out.pos == 0) {
      const std::string_view bytes = source().peek(1);
      if (bytes.empty() && frame_ended_) return 0;
      ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
      const std::size_t result = ZSTD_decompressStream(context_, &out, &in);
      source().skip(in.pos);
      if (ZSTD_isError(result) != 0) throw failure(std::string("damaged zstd data: ") + ZSTD_getErrorName(result));
      frame_ended_ = result == 0;
      if (bytes.empty() && out.pos == 0 && !frame_ended_) throw failure("compressed data ends early");
    }
    return counted(out.pos);
  }

 private:
  ZSTD_DCtx* context_;
  bool frame_ended_ = false;
};

class CompressedOutput : public Output {
 public:
  void close() override {
    finish();
    below_->close();
  }

 protected:
  explicit CompressedOutput(std::unique_ptr<Output> below)
      : Output(below->name()), below_(std::move(below)), buffer_(std::size_t{128} << 10, '\0') {}
  virtual void finish() = 0;
  std::string& buffer() { return buffer_; }
  void pass_on(std::size_t n) {
    if (n != 0) below_->write({buffer_.data(), n});
  }

 private:
  std::unique_ptr<Output> below_;
  std::string buffer_;
};

class GzipOutput final : public CompressedOutput {
 public:
  explicit GzipOutput(std::unique_ptr<Output> below) : CompressedOutput(std::move(below)) {
    // The header written by zlib has no time and no name.
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~GzipOutput() override { deflateEnd(&stream_); }

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, std::size_t{1} << 30);
      bytes.remove_prefix(part.size());
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
      stream_.avail_in = static_cast<uInt>(part.size());
      while (stream_.avail_in != 0) step(Z_NO_FLUSH);
    }
  }

 protected:
  void finish() override {
    while (step(Z_FINISH) != Z_STREAM_END) {
    }
  }

 private:
  int step(int flush) {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer().data());
    stream_.avail_out = static_cast<uInt>(buffer().size());
    const int result = deflate(&stream_, flush);
    if (result == Z_STREAM_ERROR) throw std::logic_error("write to a gzip stream that has ended");
    pass_on(buffer().size() - stream_.avail_out);
    return result;
  }

  z_stream stream_{};
};

class ZstdOutput final : public CompressedOutput {
 public:
  explicit ZstdOutput(std::unique_ptr<Output> below)
      : CompressedOutput(std::move(below)), context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdOutput() override { ZSTD_freeCCtx(context_); }

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      ZSTD_inBuffer in{bytes.data(), std::min(bytes.size(), least_frame_bytes), 0};
      while (in.pos < in.size) step(in, ZSTD_e_continue);
      bytes.remove_prefix(in.size);
      taken_ += in.size;
      // Identical ranks compress to a few bytes each, and to a ratio that readers reject as a decompression bomb. A
      // new frame does not refer to the frames before it.
      if (taken_ - frame_begin_ < least_frame_bytes || !is_too_dense(taken_, passed_on_)) continue;
      finish();
      frame_begin_ = taken_;
    }
  }

 protected:
  void finish() override {
    ZSTD_inBuffer in{nullptr, 0, 0};
    while (step(in, ZSTD_e_end) != 0) {
    }
  }

 private:
  std::size_t step(ZSTD_inBuffer& in, ZSTD_EndDirective directive) {
    ZSTD_outBuffer out{buffer().data(), buffer().size(), 0};
    const std::size_t result = ZSTD_compressStream2(context_, &out, &in, directive);
    if (ZSTD_isError(result) != 0) throw std::bad_alloc();  // only memory can be lacking
    pass_on(out.pos);
    passed_on_ += out.pos;
    return result;
  }

  static constexpr std::size_t least_frame_bytes = std::size_t{1} << 20;
  ZSTD_CCtx* context_;
  std::uint64_t taken_ = 0;
  std::uint64_t passed_on_ = 0;
  std::uint64_t frame_begin_ = 0;
};

// A file too short for a whole magic number is truncated if its bytes are not text or its name has the suffix.
bool is_cut_magic(std::string_view head, std::string_view magic, std::string_view name, std::string_view suffix) {
  if (head.size() >= magic.size() || !magic.starts_with(head)) return false;
  if (name.ends_with(')')) name.remove_suffix(1);  // "ARCHIVE(MEMBER.gz)"
  return name.ends_with(suffix) || head.starts_with('\x1f') || head.size() > 1;
}

// First bytes of contents that no format has, but that are often found instead of trace files.
struct Foreign {
  std::string_view begin;
  const char* what;  // "is …; next step"
};
using std::string_view_literals::operator""sv;
constexpr std::array<Foreign, 9> foreign_contents = {{
    {"version https://git-lfs.github.com/spec/", "is a Git LFS pointer without the content; run git lfs pull"},
    {"version https://hawser.github.com/spec/", "is a Git LFS pointer without the content; run git lfs pull"},
    {"/annex/objects/", "is a git-annex pointer without the content; run git annex get"},
    {"PK\3\4", "is a zip archive, which is not supported; extract the traces with unzip"},
    {"PK\5\6", "is an empty zip archive"},
    {"\xfd\67zXZ\0"sv, "is compressed by xz, which is not supported; decompress it with xz -d"},
    {"BZh", "is compressed by bzip2, which is not supported; decompress it with bunzip2"},
    {"\67z\xbc\xaf\x27\x1c", "is a 7z archive, which is not supported; extract the traces with 7z x"},
    {"\x04\x22\x4d\x18", "is compressed by lz4, which is not supported; decompress it with unlz4"},
}};

// Returns whether the content is an HTML page, which browsers save instead of the file that it shows.
bool is_html(Input& input) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  const auto text = [&](std::size_t n) {
    std::string_view head = input.peek(n);
    if (head.starts_with(mark)) head.remove_prefix(mark.size());
    return head.substr(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  };
  if (const std::string_view head = text(8); !head.empty() && head.front() != '<') return false;
  const std::string_view head = text(64);
  const auto begins = [&](std::string_view word) {
    return head.size() >= word.size() && std::equal(word.begin(), word.end(), head.begin(), [](char a, char b) {
             return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
           });
  };
  return begins("<!doctype html") || begins("<html");
}

// Throws Error(input) with a next step if the content is of a known kind that no format has.
void refuse_foreign(Input& input) {
  const auto fail = [&](const char* what) { throw input_error({.file = input.name()}, what); };
  for (const Foreign& f : foreign_contents) {
    // Only as much of a pipe is read as the first bytes require.
    const std::string_view begin = f.begin.substr(0, 3);
    if (input.peek(begin.size()).starts_with(begin) && input.peek(f.begin.size()).starts_with(f.begin))
      fail(f.what);
  }
  // The UTF-16 mark alone may also be the length of a message, but in a message no zero byte follows.
  const std::string_view head = input.peek(4).substr(0, 4);
  if (head.size() == 4 &&
      ((head.starts_with("\xff\xfe") && head[3] == '\0') || (head.starts_with("\xfe\xff") && head[2] == '\0'))) {
    fail("is UTF-16 text, which is not supported; convert it with iconv -f UTF-16 -t UTF-8");
  }
  if (is_html(input)) fail("is an HTML page; download the file that it shows");
}

}  // namespace

std::unique_ptr<Input> decompressed(std::unique_ptr<Input> input) {
  const std::string_view head = input->peek(zstd_magic.size());
  if (head.starts_with(gzip_magic)) return std::make_unique<GzipInput>(std::move(input));
  if (head.starts_with(zstd_magic)) return std::make_unique<ZstdInput>(std::move(input));
  if (is_cut_magic(head, gzip_magic, input->name(), ".gz") ||
      is_cut_magic(head, zstd_magic, input->name(), ".zst")) {
    throw input_error({.file = input->name(), .offset = static_cast<std::int64_t>(head.size())},
                      "compressed data ends early");
  }
  refuse_foreign(*input);
  return input;
}

std::unique_ptr<Output> compressed(std::unique_ptr<Output> output, Compression compression) {
  switch (compression) {
    case Compression::none: break;
    case Compression::gzip: return std::make_unique<GzipOutput>(std::move(output));
    case Compression::zstd: return std::make_unique<ZstdOutput>(std::move(output));
  }
  return output;
}

std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  const int result = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()), 9);
  if (result != Z_OK) throw std::bad_alloc();  // no other error is possible: the buffer is large enough
  out.resize(size);
  return out;
}

}  // namespace convert
