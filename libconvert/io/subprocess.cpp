// SPDX-License-Identifier: MIT
#include "io/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <optional>
#include <thread>

#include "core/diagnostic.h"
#include "io/cleanup.h"

namespace convert {
namespace {

using Clock = std::chrono::steady_clock;

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  void reset(int fd) {
    close();
    fd_ = fd;
  }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

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

// A child that stops reading must not end this process: SIGPIPE is held back for this thread and, if it came from
// our own write, taken away again.
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

pid_t spawn(const std::vector<std::string>& argv, const Pipe& in, const Pipe& out, const Pipe& err,
            const sigset_t& mask) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, in.read_end.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end.get(), STDERR_FILENO);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) throw system_error(argv[0], error);
  return child;
}

// Takes what is there. False if that goes beyond the limit.
bool drain(Descriptor& from, std::string& to, std::size_t limit) {
  std::array<char, 64 * 1024> chunk;
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
    bytes = {};  // the child does not want more
  }
  if (bytes.empty()) to.close();
}

// Kills and collects the child whatever happens.
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
  const PipeSignalHeld held;
  Child child(spawn(argv, in, out, err, held.before()));
  in.read_end.close();
  out.write_end.close();
  err.write_end.close();
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
    if (!outputs_open) {  // it has closed them and runs on
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
