// SPDX-License-Identifier: MIT
#include "io/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/diagnostic.h"
#include "io/compression.h"
#include "io/fd_output.h"

namespace convert {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{256} << 10;

class FdOutput final : public Output {
 public:
  FdOutput(std::string name, int fd, FdOwner owner) : Output(std::move(name)), fd_(fd), owner_(owner) {
    buffer_.reserve(buffer_bytes);
  }
  ~FdOutput() override {
    if (owner_ == FdOwner::output && fd_ >= 0) ::close(fd_);
  }

  void write(std::string_view bytes) override {
    if (buffer_.size() + bytes.size() >= buffer_bytes) {
      flush();
      if (bytes.size() >= buffer_bytes) return write_through(bytes);
    }
    buffer_.append(bytes);
  }

  void close() override {
    flush();
    // Some file systems report a full disk only at close(). A caller's descriptor stays open, so a copy is closed.
    const int closing = owner_ == FdOwner::output ? std::exchange(fd_, -1) : ::dup(fd_);
    if (closing >= 0 && ::close(closing) != 0 && errno != EINTR) throw system_error(name(), errno);
  }

 private:
  void flush() {
    write_through(buffer_);
    buffer_.clear();
  }

  void write_through(std::string_view bytes) {
    if (const int error = write_all(fd_, bytes); error != 0) throw system_error(name(), error);
  }

  int fd_;
  FdOwner owner_;
  std::string buffer_;
};

class MemoryOutput final : public Output {
 public:
  explicit MemoryOutput(std::string& to) : Output("<memory>"), to_(to) {}
  void write(std::string_view bytes) override { to_.append(bytes); }
  void close() override {}

 private:
  std::string& to_;
};

}  // namespace

Compression compression_of(std::string_view path) {
  if (path.ends_with(".gz") || path.ends_with(".tgz")) return Compression::gzip;
  if (path.ends_with(".zst")) return Compression::zstd;
  return Compression::none;
}

std::string_view without_compression_suffix(std::string_view path) {
  for (const std::string_view suffix : {".gz", ".zst"}) {
    if (path.ends_with(suffix)) return path.substr(0, path.size() - suffix.size());
  }
  return path;
}

bool is_tar_name(std::string_view path) {
  return path.ends_with(".tgz") || without_compression_suffix(path).ends_with(".tar");
}

bool is_broken_pipe(const Error& error) {
  return error.kind() == Error::Kind::system && std::string_view(error.what()) == std::strerror(EPIPE);
}

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t taken = ::write(fd, bytes.data(), bytes.size());
    if (taken < 0 && errno != EINTR) return errno;
    if (taken > 0) bytes.remove_prefix(static_cast<std::size_t>(taken));
  }
  return 0;
}

std::unique_ptr<Output> fd_output(std::string name, int fd, FdOwner owner) {
  return std::make_unique<FdOutput>(std::move(name), fd, owner);
}

std::unique_ptr<Output> open_stdout(Compression compression) {
  return compressed(fd_output("<stdout>", STDOUT_FILENO, FdOwner::caller), compression);
}

std::unique_ptr<Output> memory_output(std::string& to) { return std::make_unique<MemoryOutput>(to); }

}  // namespace convert
