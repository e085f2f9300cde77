// SPDX-License-Identifier: MIT
// tar without libarchive, which reports neither a missing end nor where a member is truncated, and converts names
// by locale; its writer pads to 10 KiB. ustar itself is one 512-byte header per member.
#include "io/archive.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "core/diagnostic.h"
#include "core/units.h"
#include "io/compression.h"
#include "io/set_path.h"

namespace convert {
namespace {

constexpr std::size_t block_bytes = tar_block_bytes;
constexpr std::string_view magic = "ustar";
constexpr std::size_t max_extension_bytes = std::size_t{1} << 20;  // pax records and GNU long names
constexpr std::uint64_t max_ustar_size = 077777777777;             // 8 GiB - 1

// The ustar header, fields by offset and length.
struct Field {
  std::size_t offset;
  std::size_t size;
};
constexpr Field name_field{0, 100}, mode_field{100, 8}, uid_field{108, 8}, gid_field{116, 8}, size_field{124, 12},
    mtime_field{136, 12}, checksum_field{148, 8}, type_field{156, 1}, magic_field{257, 6}, version_field{263, 2},
    prefix_field{345, 155};

std::string_view text_of(std::string_view header, Field field) {
  const std::string_view text = header.substr(field.offset, field.size);
  return text.substr(0, std::min(text.find('\0'), text.size()));
}

// Octal digits between blanks, or GNU's base 256 (first byte 0x80).
std::optional<std::uint64_t> number_of(std::string_view header, Field field) {
  std::string_view text = header.substr(field.offset, field.size);
  std::uint64_t value = 0;
  if (text[0] == '\x80') {
    for (const char c : text.substr(1)) {
      if (value >> 55 != 0) return std::nullopt;
      value = value << 8 | static_cast<unsigned char>(c);
    }
    return value;
  }
  text = text_of(header, field);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  text = text.substr(0, std::min(text.find(' '), text.size()));
  if (text.empty()) return std::nullopt;
  for (const char c : text) {
    if (c < '0' || c > '7') return std::nullopt;
    value = value << 3 | static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

std::uint64_t checksum_of(std::string_view header) {
  std::uint64_t sum = std::uint64_t{8} * ' ';  // the checksum itself counts as blanks
  for (std::size_t i = 0; i < block_bytes; ++i) {
    if (i < checksum_field.offset || i >= checksum_field.offset + checksum_field.size) {
      sum += static_cast<unsigned char>(header[i]);
    }
  }
  return sum;
}

bool all_zero(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

bool is_unsafe(std::string_view name) {
  return name.starts_with('/') || ("/" + std::string(name) + "/").find("/../") != std::string::npos;
}

std::uint64_t padded(std::uint64_t size) { return (size + block_bytes - 1) / block_bytes * block_bytes; }

}  // namespace

bool looks_like_tar(std::string_view head) {
  if (head.size() < magic_field.offset || !head.substr(magic_field.offset).starts_with(magic)) return false;
  return head.size() < block_bytes || number_of(head, checksum_field) == checksum_of(head);
}

struct TarReader::State {
  explicit State(Input& archive_input) : archive(archive_input) {}

  Input& archive;
  std::unique_ptr<Input> member;
  std::string name;             // of the current member
  std::uint64_t remaining = 0;  // bytes of it that were not read yet
  std::uint64_t padding = 0;    // zero bytes after it
  std::string long_name;        // from a pax or GNU extension, for the next header
  std::optional<std::uint64_t> long_size;

  [[nodiscard]] Error failure(const std::string& message) const {
    return input_error({.file = archive.name(), .offset = static_cast<std::int64_t>(archive.offset())}, message);
  }
  [[nodiscard]] Error cut() const {
    return failure("the archive is truncated: member " + name + " lacks " + counted(remaining, "byte"));
  }

  class MemberInput;
  void skip_member();
  bool next_header(std::string& header);
  void check_end();
  std::string read_extension(std::uint64_t size);
  void read_pax(std::string_view records);
  bool open_member(std::string_view header);
};

class TarReader::State::MemberInput final : public Input {
 public:
  MemberInput(State& state, std::string name, std::optional<std::uint64_t> size)
      : Input(std::move(name), size), state_(state) {}
  [[nodiscard]] std::optional<std::uint64_t> compressed_bytes() const override {
    return state_.archive.compressed_bytes();
  }

 protected:
  std::size_t fill(char* to, std::size_t n) override {
    if (state_.remaining == 0) return 0;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(n, state_.remaining));
    const std::size_t got = state_.archive.read(to, wanted);
    state_.remaining -= got;
    if (got < wanted) throw state_.cut();
    return got;
  }

 private:
  State& state_;
};

void TarReader::State::skip_member() {
  member.reset();
  while (remaining > 0) {
    const std::string_view bytes = archive.peek(1);
    if (bytes.empty()) throw cut();
    const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), remaining));
    archive.skip(n);
    remaining -= n;
  }
  const std::size_t n = static_cast<std::size_t>(std::exchange(padding, 0));
  const std::size_t there = std::min(archive.peek(n).size(), n);
  archive.skip(there);
  if (there < n) throw failure("the archive is truncated after member " + name);
}

// Returns false after the two zero blocks, which are the only valid end.
bool TarReader::State::next_header(std::string& header) {
  const std::string_view bytes = archive.peek(block_bytes);
  if (bytes.size() < block_bytes) {
    throw failure(all_zero(bytes) ? "the archive is truncated: it lacks the two zero blocks that end a tar"
                                  : "the archive is truncated inside a header");
  }
  header = bytes.substr(0, block_bytes);
  if (!all_zero(header)) {
    if (!looks_like_tar(header)) throw failure("damaged tar header");
    archive.skip(block_bytes);
    return true;
  }
  archive.skip(block_bytes);
  check_end();
  return false;
}

void TarReader::State::check_end() {
  if (archive.peek(block_bytes).size() < block_bytes) {
    throw failure("the archive is truncated: it lacks the second zero block that ends a tar");
  }
  // Further zero blocks are padding. All of it is read, as otherwise the program that writes the pipe would fail.
  for (std::string_view rest = archive.peek(1); !rest.empty(); rest = archive.peek(1)) {
    const std::size_t zeros = std::min(rest.find_first_not_of('\0'), rest.size());
    archive.skip(zeros);
    if (zeros != rest.size()) throw failure("unexpected bytes after the end of the archive");
  }
  if (archive.offset() % block_bytes != 0) throw failure("the archive is truncated inside its last block");
}

std::string TarReader::State::read_extension(std::uint64_t size) {
  if (size > max_extension_bytes) throw failure("an extended tar header of " + counted(size, "byte"));
  name = "(extended header)";
  remaining = size;
  padding = padded(size) - size;
  std::string text(static_cast<std::size_t>(size), '\0');
  remaining -= archive.read(text.data(), text.size());
  skip_member();
  return text;
}

// Parses records "LENGTH KEY=VALUE\n", where LENGTH counts the whole record.
void TarReader::State::read_pax(std::string_view records) {
  while (!records.empty()) {
    std::size_t length = 0;
    std::size_t digits = 0;
    for (; digits < records.size() && digits < 8 && records[digits] >= '0' && records[digits] <= '9'; ++digits) {
      length = length * 10 + static_cast<std::size_t>(records[digits] - '0');
    }
    if (length < digits + 3 || length > records.size() || records[digits] != ' ' || records[length - 1] != '\n') {
      throw failure("damaged pax header");
    }
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    records.remove_prefix(length);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) throw failure("damaged pax header");
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1);
    if (key.starts_with("GNU.sparse.")) throw failure("sparse members are not supported; pack without --sparse");
    if (key == "path") long_name = value;
    if (key == "size") {
      std::uint64_t size = 0;
      for (const char c : value) {
        if (c < '0' || c > '9' || size > std::numeric_limits<std::uint64_t>::max() / 16) {
          throw failure("damaged pax header");
        }
        size = size * 10 + static_cast<std::uint64_t>(c - '0');
      }
      long_size = size;
    }
  }
}

// Processes one header. Returns true if it opened a regular member.
bool TarReader::State::open_member(std::string_view header) {
  const char type = header[type_field.offset];
  const std::optional<std::uint64_t> size = number_of(header, size_field);
  constexpr std::uint64_t size_limit = std::uint64_t{1} << 62;
  if (!size || *size > size_limit || long_size.value_or(0) > size_limit) {
    throw failure("damaged tar header: no valid size");
  }
  switch (type) {
    case 'x': read_pax(read_extension(*size)); return false;
    case 'L':
      long_name = read_extension(*size);
      long_name.erase(std::min(long_name.find('\0'), long_name.size()));
      return false;
    case 'g':
    case 'K': (void)read_extension(*size); return false;
    default: break;
  }

  // GNU's variant of the magic ("ustar  ") uses the prefix field for other data.
  const bool is_posix = header[magic_field.offset + 5] == '\0';
  const std::string_view prefix = is_posix ? text_of(header, prefix_field) : std::string_view{};
  name = prefix.empty() ? std::string() : std::string(prefix) + "/";
  name += text_of(header, name_field);
  if (!long_name.empty()) name = std::exchange(long_name, {});
  if (is_unsafe(name)) throw failure("member " + name + ": absolute names and \"..\" are refused");

  const bool is_regular = type == '0' || type == '\0' || type == '7';
  const bool is_link = type == '1' || type == '2';
  if (!is_regular && !is_link && (type < '3' || type > '6')) {
    throw failure("member " + name + ": unsupported tar member type '" + std::string(1, type) + "'");
  }
  if (is_link && (rank_of(name) || name.ends_with(groups_suffix))) {
    throw failure("member " + name + " is a link; pack the files themselves (tar -h --hard-dereference)");
  }
  remaining = is_link ? 0 : std::exchange(long_size, std::nullopt).value_or(*size);
  padding = padded(remaining) - remaining;
  long_size.reset();
  if (!is_regular || name.ends_with('/')) return false;

  // The size is only a claim unless the archive's own size confirms it.
  const std::optional<std::uint64_t> whole = archive.size();
  const bool is_sure = whole && archive.offset() <= *whole && remaining <= *whole - archive.offset();
  member = decompressed(std::make_unique<MemberInput>(*this, archive.name() + "(" + name + ")",
                                                      is_sure ? std::optional(remaining) : std::nullopt));
  return true;
}

TarReader::TarReader(Input& input) : state_(std::make_unique<State>(input)) {}
TarReader::~TarReader() = default;

Input* TarReader::next() {
  std::string header;
  for (;;) {
    state_->skip_member();
    if (!state_->next_header(header)) return nullptr;
    if (state_->open_member(header)) return state_->member.get();
  }
}

const std::string& TarReader::member_name() const { return state_->name; }

struct TarWriter::State {
  explicit State(Output& archive_output) : output(archive_output) {}
  Output& output;

  void put_header(std::string_view prefix, std::string_view name, std::uint64_t size, char type);
  void put_padded(std::string_view bytes);
};

void TarWriter::State::put_header(std::string_view prefix, std::string_view name, std::uint64_t size, char type) {
  std::string header(block_bytes, '\0');
  const auto put = [&header](Field field, std::string_view text) {
    header.replace(field.offset, text.size(), text);
  };
  const auto octal = [&put](Field field, std::uint64_t value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%0*llo", static_cast<int>(field.size - 1),
                  static_cast<unsigned long long>(value));
    put(field, text.data());
  };
  put(name_field, name.substr(0, name_field.size));
  octal(mode_field, 0644);
  octal(uid_field, 0);
  octal(gid_field, 0);
  octal(size_field, std::min(size, max_ustar_size));
  octal(mtime_field, 0);
  put(type_field, {&type, 1});
  put(magic_field, "ustar");
  put(version_field, "00");
  put(prefix_field, prefix);
  std::array<char, 8> sum{};
  std::snprintf(sum.data(), sum.size(), "%06o", static_cast<unsigned>(checksum_of(header)));
  put(checksum_field, sum.data());
  header[checksum_field.offset + 7] = ' ';
  output.write(header);
}

void TarWriter::State::put_padded(std::string_view bytes) {
  output.write(bytes);
  output.write(std::string(padded(bytes.size()) - bytes.size(), '\0'));
}

namespace {

std::string pax_record(std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;  // blank, equals sign, newline
  std::size_t length = rest + 1;
  while (length != rest + std::to_string(length).size()) length = rest + std::to_string(length).size();
  std::string record = std::to_string(length) + ' ';
  record.append(key).append("=").append(value).append("\n");
  return record;
}

}  // namespace

TarWriter::TarWriter(Output& output) : state_(std::make_unique<State>(output)) {}
TarWriter::~TarWriter() = default;

void TarWriter::add(const std::string& name, std::string_view bytes) {
  std::string_view prefix;
  std::string_view rest = name;
  std::string records;
  if (name.size() > name_field.size) {
    // The longest directory part that fits into the prefix field. If the rest is still too long, the name is in a
    // pax header.
    const std::size_t slash = name.rfind('/', prefix_field.size);
    if (slash != std::string::npos && slash > 0 && name.size() - slash - 1 <= name_field.size &&
        slash + 1 < name.size()) {
      prefix = rest.substr(0, slash);
      rest = rest.substr(slash + 1);
    } else {
      records += pax_record("path", name);
    }
  }
  if (bytes.size() > max_ustar_size) records += pax_record("size", std::to_string(bytes.size()));
  if (!records.empty()) {
    state_->put_header({}, "PaxHeaders", records.size(), 'x');
    state_->put_padded(records);
  }
  state_->put_header(prefix, rest, bytes.size(), '0');
  state_->put_padded(bytes);
}

void TarWriter::close() { state_->output.write(std::string(2 * block_bytes, '\0')); }

}  // namespace convert
