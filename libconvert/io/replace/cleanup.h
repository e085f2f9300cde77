// SPDX-License-Identifier: MIT
// Removes what must not stay when a signal ends the process: temporary files, new directories, running children.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <utility>

namespace convert {

struct CleanupSlot;

// Makes SIGINT, SIGTERM, SIGHUP and SIGPIPE remove a file or an empty directory, or kill a process group, before
// they end the process; until it is released. Signals that the program handles or ignores itself are left alone.
// Create it first, then make the file within an UnbrokenStep: else a thread could make it after the signal.
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
  // Leaves the file, directory or group alone from now on: the file has got its name, the child has ended.
  void release() noexcept;

 private:
  explicit SignalCleanup(CleanupSlot* slot) : slot_(slot) {}
  CleanupSlot* slot_ = nullptr;
};

// Holds those signals off while it lives, for a step such as making a file that is to be removed, or renaming
// several. This thread blocks them; if another thread gets one, its handler waits up to 60 s for the step before it
// removes anything. After such a signal the constructor does not return. The step must be short and take no lock
// and no memory: the thread that got the signal may hold the lock of either.
class UnbrokenStep {
 public:
  UnbrokenStep();
  ~UnbrokenStep();
  UnbrokenStep(const UnbrokenStep&) = delete;
  UnbrokenStep& operator=(const UnbrokenStep&) = delete;

 private:
  sigset_t before_{};
};

// Makes a file within such a step. Returns its descriptor, open for writing, or -1 with errno, also if it exists.
[[nodiscard]] int create_unbroken(const std::string& path);

// Does not return if such a signal is ending the process: what failed since its handler removed temporaries must
// not be reported.
void park_if_ending();

}  // namespace convert
