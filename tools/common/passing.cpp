// SPDX-License-Identifier: MIT
#include "common/passing.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "io/output.h"
#include "load/sink.h"

namespace tools {
namespace {

bool is_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
}

// All that comes from one descriptor, given to `put`.
template <typename Put>
void drain(int from, const std::string& name, const Put& put) {
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t n = ::read(from, buffer.data(), buffer.size());
    if (n == 0) return;
    if (n > 0) {
      put(std::string_view(buffer.data(), static_cast<std::size_t>(n)));
    } else if (errno != EINTR) {
      throw convert::system_error(name, errno);
    }
  }
}

}  // namespace

Passing::Passing(bool enabled, const std::vector<std::string>& operands) : operands_(operands) {
  if (!enabled || operands != std::vector<std::string>{"-"}) return;
  const int memory = ::memfd_create("stdin", MFD_CLOEXEC);
  if (memory < 0) throw convert::system_error("<stdin>", errno);
  drain(STDIN_FILENO, "<stdin>", [&](std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(memory, bytes.data(), bytes.size());
      if (n < 0 && errno != EINTR) throw convert::system_error("<stdin>", errno);
      if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  });
  if (::lseek(memory, 0, SEEK_SET) != 0 || ::dup2(memory, STDIN_FILENO) < 0)
    throw convert::system_error("<stdin>", errno);
  ::close(memory);
}

void Passing::copy(convert::TraceSource& source) const {
  const bool from_stdin = operands_ == std::vector<std::string>{"-"};
  if (!from_stdin && (operands_.size() != 1 || !is_file(operands_[0]))) {
    convert::Diagnostics none;
    const convert::SinkOptions options{};
    write_set(source, plan_sink(source, options), options, none);
    return;
  }
  const auto out = convert::open_stdout();
  const auto put = [&](std::string_view bytes) { out->write(bytes); };
  if (from_stdin) {
    if (::lseek(STDIN_FILENO, 0, SEEK_SET) != 0) throw convert::system_error("<stdin>", errno);
    drain(STDIN_FILENO, "<stdin>", put);
  } else {
    std::FILE* file = std::fopen(operands_[0].c_str(), "rbe");
    if (file == nullptr) throw convert::system_error(operands_[0], errno);
    drain(::fileno(file), operands_[0], put);
    std::fclose(file);
  }
  out->close();
}

}  // namespace tools
