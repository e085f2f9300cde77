// SPDX-License-Identifier: MIT
#include "io/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <thread>

#include "core/diagnostic.h"
#include "io/descriptor.h"
#include "io/replace/cleanup.h"

namespace convert {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error("pipe", errno);
    read_end.reset(ends[0]);
    write_end.reset(ends[1]);
  }
  Descriptor read_end;
  Descriptor write_end;
};

// A child that stops reading must not end this process. SIGPIPE is blocked for this thread and, if a write of this
// process raised it, consumed.
class PipeSignalHeld {
 public:
  PipeSignalHeld() {
    sigemptyset(&pipe_signal_);
    sigaddset(&pipe_signal_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_signal_, &before_);
  }
  ~PipeSignalHeld() {
    const timespec at_once{};
    if (!was_pending_) {
      while (sigtimedwait(&pipe_signal_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipeSignalHeld(const PipeSignalHeld&) = delete;
  PipeSignalHeld& operator=(const PipeSignalHeld&) = delete;
  [[nodiscard]] const sigset_t& before() const { return before_; }

 private:
  sigset_t pipe_signal_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

// Returns the candidate paths of a program according to PATH.
std::vector<std::string> program_paths(const std::string& program) {
  if (program.empty() || program.find('/') != std::string::npos) return {program};
  const char* const list = std::getenv("PATH");
  const std::string_view folders = list != nullptr ? list : "/bin:/usr/bin";
  std::vector<std::string> paths;
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string_view folder = folders.substr(begin, end - begin);
    paths.push_back((folder.empty() ? "." : std::string(folder)) + "/" + program);
    begin = end + 1;
  }
  return paths;
}

// Data for the child, made before fork(): the child may only make async-signal-safe calls.
struct ChildPlan {
  std::vector<std::string> paths;
  std::vector<char*> arguments;
  std::array<int, 3> descriptors;  // its standard input, output and error
  int failure;                     // descriptor for the error if the program cannot be started
  pid_t parent;
  sigset_t mask;
};

// Duplicates `from` as descriptor `to`, which stays open after exec.
bool place_descriptor(int from, int to) {
  return from == to ? ::fcntl(from, F_SETFD, 0) == 0 : ::dup2(from, to) == to;
}

// Runs with all signals blocked, so that no handler of this process runs in the child.
void become_program(const ChildPlan& plan) {
  ::setpgid(0, 0);
  // A parent that is killed cannot end the child any more. The parent may have ended before prctl().
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return;
  if (::getppid() != plan.parent) ::_exit(127);
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0) continue;
    const bool is_ignored = (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_IGN;
    if (is_ignored && number != SIGPIPE) continue;
    action = {};
    action.sa_handler = SIG_DFL;
    ::sigaction(number, &action, nullptr);
  }
  for (int i = 0; i < 3; ++i) {
    if (!place_descriptor(plan.descriptors[static_cast<std::size_t>(i)], i)) return;
  }
  ::sigprocmask(SIG_SETMASK, &plan.mask, nullptr);
  bool is_denied = false;
  for (const std::string& path : plan.paths) {
    ::execv(path.c_str(), plan.arguments.data());
    if (errno != EACCES && errno != ENOENT && errno != ENOTDIR) return;
    is_denied = is_denied || errno == EACCES;
  }
  errno = is_denied ? EACCES : ENOENT;
}

// posix_spawn() cannot request the signal for the parent's death.
pid_t fork_child(const ChildPlan& plan) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = ::fork();
  if (child == 0) {
    become_program(plan);
    const int error = errno;
    (void)!::write(plan.failure, &error, sizeof error);
    ::_exit(127);
  }
  const int error = errno;
  if (child > 0) ::setpgid(child, child);  // both call it, since either may run first
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) throw system_error(plan.arguments[0], error);
  return child;
}

// Returns why the program was not started; 0 if it was, since exec has closed the pipe.
int start_failure(int from) {
  int error = 0;
  ssize_t got = -1;
  do {
    got = ::read(from, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof error) ? error : 0;
}

// Reads the available bytes. Returns false if they exceed the limit.
bool drain(Descriptor& from, std::string& to, std::size_t limit) {
  std::array<char, std::size_t{64} << 10> chunk;
  const ssize_t got = ::read(from.get(), chunk.data(), chunk.size());
  if (got < 0) {
    if (errno != EINTR && errno != EAGAIN) from.close();
    return true;
  }
  if (got == 0) from.close();
  const std::size_t room = limit - to.size();
  to.append(chunk.data(), std::min(static_cast<std::size_t>(got), room));
  return static_cast<std::size_t>(got) <= room;
}

void feed(Descriptor& to, std::string_view& bytes) {
  const ssize_t taken = ::write(to.get(), bytes.data(), bytes.size());
  if (taken >= 0) {
    bytes.remove_prefix(static_cast<std::size_t>(taken));
  } else if (errno != EINTR && errno != EAGAIN) {
    bytes = {};  // the child reads no more
  }
  if (bytes.empty()) to.close();
}

// Kills and reaps the child in any case.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid), cleanup_(SignalCleanup::kill_group(pid)) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (!status_) (void)kill_and_wait();
  }
  [[nodiscard]] bool has_ended() { return status_ || wait(WNOHANG); }
  [[nodiscard]] int kill_and_wait() {
    ::kill(-pid_, SIGKILL);
    return exit_code();
  }
  [[nodiscard]] int exit_code() {
    if (!status_) wait(0);
    return WIFSIGNALED(*status_) ? 128 + WTERMSIG(*status_) : WEXITSTATUS(*status_);
  }

 private:
  bool wait(int options) {
    int status = 0;
    pid_t result = 0;
    do {
      result = ::waitpid(pid_, &status, options);
    } while (result < 0 && errno == EINTR);
    if (result == 0) return false;
    status_ = result < 0 ? 0 : status;
    cleanup_.release();
    return true;
  }

  pid_t pid_;
  std::optional<int> status_;
  SignalCleanup cleanup_;
};

}  // namespace

ChildResult run_child(const std::vector<std::string>& argv, std::string_view stdin_bytes,
                      std::chrono::milliseconds timeout, std::size_t max_output) {
  const Clock::time_point deadline = Clock::now() + timeout;
  Pipe in;
  Pipe out;
  Pipe err;
  Pipe failure;  // created last: its end must not have the number of a standard stream
  const PipeSignalHeld held;
  ChildPlan plan{.paths = program_paths(argv.at(0)),
                 .arguments = {},
                 .descriptors = {in.read_end.get(), out.write_end.get(), err.write_end.get()},
                 .failure = failure.write_end.get(),
                 .parent = ::getpid(),
                 .mask = held.before()};
  for (const std::string& argument : argv) plan.arguments.push_back(const_cast<char*>(argument.c_str()));
  plan.arguments.push_back(nullptr);
  Child child(fork_child(plan));
  in.read_end.close();
  out.write_end.close();
  err.write_end.close();
  failure.write_end.close();
  if (const int error = start_failure(failure.read_end.get()); error != 0) {
    (void)child.exit_code();
    throw system_error(argv[0], error);
  }
  ::fcntl(in.write_end.get(), F_SETFL, O_NONBLOCK);
  if (stdin_bytes.empty()) in.write_end.close();

  ChildResult result;
  std::chrono::milliseconds pause{1};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    const bool outputs_open = out.read_end.is_open() || err.read_end.is_open();
    if (!outputs_open && child.has_ended()) break;
    if (left.count() <= 0 || result.too_large) {
      result.timed_out = !result.too_large;
      break;
    }
    if (!outputs_open) {  // it has closed them and continues to run
      std::this_thread::sleep_for(std::min(pause, left));
      pause = std::min(pause * 2, std::chrono::milliseconds{50});
      continue;
    }
    std::array<pollfd, 3> watched{
        {{in.write_end.get(), POLLOUT, 0}, {out.read_end.get(), POLLIN, 0}, {err.read_end.get(), POLLIN, 0}}};
    const int wait_ms = static_cast<int>(std::min<std::int64_t>(left.count() + 1, 1'000'000));
    if (::poll(watched.data(), watched.size(), wait_ms) < 0 && errno != EINTR) throw system_error(argv[0], errno);
    if (watched[0].revents != 0) feed(in.write_end, stdin_bytes);
    if (watched[1].revents != 0 && !drain(out.read_end, result.out, max_output)) result.too_large = true;
    if (watched[2].revents != 0 && !drain(err.read_end, result.err, max_output)) result.too_large = true;
  }
  result.exit_code = result.timed_out || result.too_large ? child.kill_and_wait() : child.exit_code();
  return result;
}

}  // namespace convert
