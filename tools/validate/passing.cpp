// SPDX-License-Identifier: MIT
#include "validate/passing.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "io/document_limit.h"
#include "io/output.h"
#include "sets/sink.h"

namespace tools {
namespace {

// Passes all bytes of a descriptor to `put`.
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

Passing::Passing(const std::string& option, const std::vector<std::string>& operands)
    : from_stdin_(operands == std::vector<std::string>{"-"}) {
  if (option.empty()) return;
  if (!from_stdin_) {
    for (const std::string& operand : operands) {
      if (operand != "-" && !convert::is_stream_path(operand)) continue;
      throw convert::usage_error(option + " reads its input twice, which " + operand +
                                 " does not allow; pipe in nothing else, or save it in a file");
    }
    return;
  }
  const int memory = ::memfd_create("stdin", MFD_CLOEXEC);
  if (memory < 0) throw convert::system_error("<stdin>", errno);
  std::uint64_t kept_bytes = 0;
  drain(STDIN_FILENO, "<stdin>", [&](std::string_view bytes) {
    kept_bytes += bytes.size();
    if (kept_bytes > convert::most_document_bytes()) {
      throw convert::input_error({.file = "<stdin>"},
                                 option + " keeps standard input in memory, and the input is larger than " +
                                     "the limit; save it in a file, or raise --max-expand",
                                 "memory");
    }
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

void Passing::rewind() const {
  if (from_stdin_ && ::lseek(STDIN_FILENO, 0, SEEK_SET) != 0) throw convert::system_error("<stdin>", errno);
}

void Passing::copy(convert::SourceOptions input) const {
  struct stat status {};
  const auto& operands = input.operands;
  if (!from_stdin_ &&
      (operands.size() != 1 || ::stat(operands[0].c_str(), &status) != 0 || !S_ISREG(status.st_mode))) {
    convert::Diagnostics again;  // the findings are known already
    const convert::SinkOptions options{};
    convert::TraceSource source(std::move(input), again);
    write_set(source, plan_sink(source, options), options, again);
    return;
  }
  const auto out = convert::open_stdout();
  const auto put = [&](std::string_view bytes) { out->write(bytes); };
  if (from_stdin_) {
    rewind();
    drain(STDIN_FILENO, "<stdin>", put);
  } else {
    const int file = ::open(operands[0].c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw convert::system_error(operands[0], errno);
    drain(file, operands[0], put);
    ::close(file);
  }
  out->close();
}

}  // namespace tools
