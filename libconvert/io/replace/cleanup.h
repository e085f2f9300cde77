// SPDX-License-Identifier: MIT
// Cleanup if a signal ends the process: removes temporary files and new directories, kills running children.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <utility>

namespace convert {

struct CleanupSlot;

// Makes SIGINT, SIGTERM, SIGHUP and SIGPIPE remove a file or an empty directory, or kill a process group, before
// they end the process; until it is released. Signals that the program handles or ignores itself are not affected.
// Create this object first, then the file within an UnbrokenStep: otherwise a thread could create the file after
// the signal.
class SignalCleanup {
 public:
  SignalCleanup() = default;
  [[nodiscard]] static SignalCleanup remove_file(const std::string& path);
  [[nodiscard]] static SignalCleanup remove_directory(const std::string& path);
  [[nodiscard]] static SignalCleanup kill_group(pid_t group);
  ~SignalCleanup() { release(); }
  SignalCleanup(SignalCleanup&& other) noexcept : slot_(std::exchange(other.slot_, nullptr)) {}
  SignalCleanup& operator=(SignalCleanup&& other) noexcept {
    if (this != &other) {
      release();
      slot_ = std::exchange(other.slot_, nullptr);
    }
    return *this;
  }
  // Excludes the file, directory or group from the cleanup, after the file was renamed or the child has ended.
  void release() noexcept;

 private:
  explicit SignalCleanup(CleanupSlot* slot) : slot_(slot) {}
  CleanupSlot* slot_ = nullptr;
};

// Defers these signals during its lifetime, for a step such as creating a file that is to be removed, or renaming
// several files. This thread blocks them. If another thread receives one, its handler waits up to 60 s for the step
// before it removes anything. After such a signal the constructor does not return. The step must be short, take no
// lock and allocate no memory: the thread that received the signal may hold the lock of either.
class UnbrokenStep {
 public:
  UnbrokenStep();
  ~UnbrokenStep();
  UnbrokenStep(const UnbrokenStep&) = delete;
  UnbrokenStep& operator=(const UnbrokenStep&) = delete;

 private:
  sigset_t before_{};
};

// Creates a file within such a step. Returns its descriptor, open for writing, or -1 with errno, also if it exists.
[[nodiscard]] int create_unbroken(const std::string& path);

// Does not return if such a signal is ending the process: failures that follow the removal of temporaries must not
// be reported.
void park_if_ending();

}  // namespace convert
