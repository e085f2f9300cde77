// SPDX-License-Identifier: MIT
#include "common/tool.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>

#include "about/version.h"
#include "common/form.h"
#include "io/document_limit.h"
#include "io/output.h"
#include "io/replace/cleanup.h"
#include "util/log.h"
#include "util/parallel.h"

namespace tools {

using convert::Diagnostic;
using convert::Diagnostics;
using convert::Error;

namespace {

constexpr int exit_content = 1;  // the input is wrong
constexpr int exit_failure = 2;  // usage, system, internal
constexpr std::size_t usual_keep = 10'000;

// Keeps the freed memory of one rank for the next rank. Memory that goes back to the system returns as pages to be
// cleared, which took half the time of reading a thousand ranks.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
#endif
}

// Ends the process as SIGPIPE would: the reader of an output has gone. SIGPIPE itself is ignored for the sake of
// standard error.
[[nodiscard]] int end_on_closed_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  return exit_failure;  // the signal is blocked
}

// Opens /dev/null for standard streams that the caller has closed, in the direction that fails as a closed stream
// does. Otherwise a file that is opened later would get the stream's number, and its output.
void fill_standard_streams() {
  constexpr std::array flags = {O_WRONLY, O_RDONLY, O_WRONLY};  // unread messages are dropped without an error
  for (int fd = 0; fd < 3; ++fd) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    if (open("/dev/null", flags.at(static_cast<std::size_t>(fd))) != fd) return;  // no /dev: unchanged
  }
}

// A closed standard error must not stop the output. For standard output, the code that sees the write error ends
// the process as the signal would.
void ignore_pipe_signal() {
  struct sigaction action {};
  if (sigaction(SIGPIPE, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) std::signal(SIGPIPE, SIG_IGN);
}

// Flushes standard output, whose errors may show only then; returns the exit status.
[[nodiscard]] int finish_stdout(const Reporter& reporter, int status) {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return status;
  int error_number = errno != 0 ? errno : EIO;
  // A failure inside the tool's work may have left no error number; a closed pipe can still be detected.
  pollfd state = {.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  if (poll(&state, 1, 0) == 1 && (state.revents & POLLERR) != 0) error_number = EPIPE;
  if (error_number == EPIPE) return end_on_closed_pipe();
  convert::Diagnostic d;
  d.where.file = "<stdout>";
  d.message = std::strerror(error_number);
  reporter.print(d);
  return exit_failure;
}

[[nodiscard]] Diagnostic plain(const std::string& message) {
  return {convert::Severity::error, {}, {}, message, {}};
}

[[nodiscard]] int report_error(const Reporter& reporter, const Error& e) {
  if (convert::is_broken_pipe(e)) return end_on_closed_pipe();
  reporter.print({convert::Severity::error, e.where(), e.rule(), e.what(), {}});
  return e.kind() == Error::Kind::input ? exit_content : exit_failure;
}

// Turns exceptions into messages and exit statuses; the only place that does.
template <typename Work>
[[nodiscard]] int guarded(const Reporter& reporter, const Work& work) {
  try {
    return work();
  } catch (const Error& e) {
    return report_error(reporter, e);
  } catch (const std::bad_alloc&) {
    reporter.print(plain("out of memory"));
  } catch (const std::filesystem::filesystem_error& e) {  // fallback; an Error has a better message
    return report_error(reporter, convert::system_error(e.path1(), e.code().value()));
  } catch (const std::exception& e) {
    reporter.print(plain(std::string("internal error: ") + e.what()));
  }
  return exit_failure;
}

[[nodiscard]] Reporter::Style reporter_style(const ToolInfo& info, const CommonOptions& common) {
  return {.tool = info.name,
          .color = use_color(common.color, STDERR_FILENO),
          .source = common.color == "always" || isatty(STDERR_FILENO) == 1,
          .quiet = common.quiet,
          .warnings_are_errors = common.werror,
          .max_errors = static_cast<std::size_t>(common.max_errors)};
}

[[nodiscard]] int run_work(Context& context, Reporter& reporter, const std::function<int(Context&)>& run) {
  int status = 0;
  const auto print_all = [&] {
    context.report();
    reporter.print_held_back(context.diagnostics);
  };
  try {
    status = run(context);
  } catch (...) {
    convert::park_if_ending();
    print_all();
    throw;
  }
  print_all();
  return context.failed() ? std::max(status, exit_content) : status;
}

}  // namespace

Context::Context(const App& app, const CommonOptions& options, Reporter& reporter, std::string history)
    : diagnostics(options.max_errors == 0 ? 0 : std::max(usual_keep, static_cast<std::size_t>(options.max_errors))),
      common(options),
      app_(app),
      reporter_(reporter),
      history_(std::move(history)) {}

unsigned Context::jobs() const {
  const std::int64_t jobs = common.jobs ? *common.jobs : jobs_from_environment();
  return jobs > 0 ? static_cast<unsigned>(jobs) : convert::default_jobs();
}

bool Context::progress() const {
  if (common.progress != "auto") return common.progress == "always";
  return !common.quiet && isatty(STDERR_FILENO) == 1;
}

bool Context::failed() const { return diagnostics.errors() > 0 || (common.werror && diagnostics.warnings() > 0); }

int run_tool(int argc, char** argv, const ToolInfo& info, const std::function<void(App&)>& setup,
             const std::function<int(Context&)>& run) {
  keep_freed_memory();
  fill_standard_streams();
  ignore_pipe_signal();
  CommonOptions common;
  const Reporter early(reporter_style(info, common));
  const int status = guarded(early, [&] {
    App app(info);
    setup(app);
    add_common_options(app, common, info.reads_files);
    switch (app.parse(argc, argv)) {
      case App::Request::help: std::cout << app.help(false); return 0;
      case App::Request::help_all: std::cout << app.help(true); return 0;
      case App::Request::version: std::cout << info.name << ' ' << version_text(); return 0;
      case App::Request::run: break;
    }
    if (common.list_formats) {
      std::cout << list_formats(common.verbose > 0);
      return 0;
    }
    std::string history = info.name + ' ' + version_number;
    const std::string arguments = app.canonical_arguments();
    if (!arguments.empty()) history += ' ' + arguments;
    protect_inputs();
    if (common.max_expand) convert::set_document_limit(static_cast<std::uint64_t>(*common.max_expand));
    convert::set_log_prefix(info.name);
    convert::set_log_level(common.quiet ? -1 : common.verbose);
    Reporter reporter(reporter_style(info, common));
    Context context(app, common, reporter, std::move(history));
    return guarded(reporter, [&] { return run_work(context, reporter, run); });
  });
  return finish_stdout(early, status);
}

}  // namespace tools
