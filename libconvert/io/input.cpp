// SPDX-License-Identifier: MIT
#include "io/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "core/diagnostic.h"
#include "io/compression.h"
#include "io/document_limit.h"
#include "io/replace/read_files.h"

namespace convert {
namespace {

constexpr std::size_t first_buffer = std::size_t{16} << 10;   // small: an archive may have very many small members
constexpr std::size_t usual_buffer = std::size_t{128} << 10;  // size for a long stream
constexpr std::size_t read_rest_step = std::size_t{1} << 20;

class FileInput final : public Input {
 public:
  FileInput(std::string name, std::optional<std::uint64_t> size, int fd, bool owned)
      : Input(std::move(name), size), fd_(fd), owned_(owned) {}
  ~FileInput() override {
    if (owned_) ::close(fd_);
  }

 protected:
  std::size_t fill(char* to, std::size_t n) override {
    for (;;) {
      const ssize_t got = ::read(fd_, to, n);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw system_error(name(), errno);
    }
  }

 private:
  int fd_;
  bool owned_;
};

class MemoryInput final : public Input {
 public:
  MemoryInput(std::string name, std::string_view bytes) : Input(std::move(name), bytes.size()), rest_(bytes) {}

 protected:
  std::size_t fill(char* to, std::size_t n) override {
    n = std::min(n, rest_.size());
    std::copy_n(rest_.data(), n, to);
    rest_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view rest_;
};

// Returns the size of the rest of a regular file; nothing for files of /proc, which claim zero bytes.
std::optional<std::uint64_t> rest_of_file(int fd, const struct stat& status) {
  if (!S_ISREG(status.st_mode) || status.st_size <= 0) return std::nullopt;
  const off_t at = ::lseek(fd, 0, SEEK_CUR);
  if (at < 0 || at > status.st_size) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size - at);
}

}  // namespace

// Makes room after the unconsumed bytes, if necessary in a larger buffer. The size is doubled if these bytes fill
// more than half of it, or if the source has filled it. It is at least the part of n bytes that is certain to come.
// The buffer is not cleared.
void Input::make_room(std::size_t n) {
  const std::size_t kept = end_ - begin_;
  std::size_t size = capacity_;
  if (kept > capacity_ / 2) size *= 2;
  if (kept == 0 && end_ == capacity_ && size < usual_buffer)
    size = std::clamp(size * 2, first_buffer, usual_buffer);
  if (size_ && *size_ > offset_)
    size = std::max(size, static_cast<std::size_t>(std::min<std::uint64_t>(n, *size_ - offset_ + 1)));
  if (size == capacity_) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, kept);
  } else {
    if (kept != 0 || size > usual_buffer) check_document(*this, size, held_.value_or(Held::parsed));
    auto larger = std::make_unique_for_overwrite<char[]>(size);
    std::copy_n(buffer_.get() + begin_, kept, larger.get());
    buffer_ = std::move(larger);
    capacity_ = size;
  }
  begin_ = 0;
  end_ = kept;
}

std::string_view Input::peek(std::size_t n) {
  while (end_ - begin_ < n && !exhausted_) {
    if (begin_ == end_ || end_ == capacity_) make_room(n);
    const std::size_t got = fill(buffer_.get() + end_, capacity_ - end_);
    exhausted_ = got == 0;
    end_ += got;
    if (held_) check_document(*this, offset_ + (end_ - begin_), *held_);
  }
  return {buffer_.get() + begin_, end_ - begin_};
}

void Input::skip(std::size_t n) {
  assert(n <= end_ - begin_);
  begin_ += n;
  offset_ += n;
}

std::size_t Input::read(char* to, std::size_t n) {
  std::size_t done = 0;
  while (done < n) {
    if (begin_ == end_ && n - done >= first_buffer) {
      if (exhausted_) break;
      const std::size_t got = fill(to + done, n - done);
      exhausted_ = got == 0;
      done += got;
      offset_ += got;
      if (held_) check_document(*this, offset_, *held_);
    } else {
      const std::string_view bytes = peek(1).substr(0, n - done);
      if (bytes.empty()) break;
      std::copy_n(bytes.data(), bytes.size(), to + done);
      skip(bytes.size());
      done += bytes.size();
    }
  }
  return done;
}

std::string Input::read_rest(std::size_t padding, Held as) {
  hold(as);
  check_document(*this, size_.value_or(0), as);
  std::string out;
  const std::size_t expected = size_ && *size_ > offset_ ? static_cast<std::size_t>(*size_ - offset_) : 0;
  out.reserve(expected + padding);
  for (;;) {
    // Large amounts are read directly into the free capacity, in steps. resize() writes zeros first, which costs
    // little while they stay in the cache. The last bytes, and growth, go through the buffer.
    const std::size_t used = out.size();
    const std::size_t room = out.capacity() - used;
    if (begin_ == end_ && room > padding + first_buffer) {
      if (exhausted_) break;
      out.resize(used + std::min(room - padding, read_rest_step));
      const std::size_t got = fill(out.data() + used, out.size() - used);
      out.resize(used + got);
      exhausted_ = got == 0;
      offset_ += got;
      check_document(*this, offset_, as);
    } else {
      const std::string_view bytes = peek(1);
      if (bytes.empty()) break;
      out.append(bytes);
      skip(bytes.size());
    }
  }
  out.reserve(out.size() + padding);
  return out;
}

std::unique_ptr<Input> open_input(const std::string& path) {
  const bool is_stdin = path == "-";
  const std::string name = is_stdin ? "<stdin>" : path;
  const int fd = is_stdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) throw system_error(name, errno);
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    const int error = errno;
    if (!is_stdin) ::close(fd);
    throw system_error(name, error);
  }
  auto file = std::make_unique<FileInput>(name, rest_of_file(fd, status), fd, !is_stdin);
  if (S_ISDIR(status.st_mode)) throw input_error({.file = name}, "is a directory");
  note_read_file(status);
  return decompressed(std::move(file));
}

std::unique_ptr<Input> memory_input(std::string name, std::string_view bytes) {
  return std::make_unique<MemoryInput>(std::move(name), bytes);
}

}  // namespace convert
