// SPDX-License-Identifier: MIT
// Undoes at a signal that ends the process what must not stay: temporary files, new directories, running children.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <utility>

namespace convert {

struct CleanupSlot;

// While it lives, SIGINT, SIGTERM, SIGHUP and SIGPIPE first remove the file (the directory, the process group)
// and then do what they do by default. Signals that the program handles or ignores itself are left alone.
// Register first, then make the file within an UnbrokenStep: threads that run on cannot leave one behind then.
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
  // Ends the watch: the file has got its name, the child has ended.
  void release() noexcept;

 private:
  explicit SignalCleanup(CleanupSlot* slot) : slot_(slot) {}
  CleanupSlot* slot_ = nullptr;
};

// Protects a step that those signals must not interrupt, such as making a registered file or renaming a group of
// files. This thread blocks them meanwhile; if another thread takes one, its handler waits for the end of the step
// (up to 60 s) before it removes anything. After such a signal no step begins: the constructor does not return. A
// step should be short and take no lock and no memory, which the thread that took the signal may hold.
class UnbrokenStep {
 public:
  UnbrokenStep();
  ~UnbrokenStep();
  UnbrokenStep(const UnbrokenStep&) = delete;
  UnbrokenStep& operator=(const UnbrokenStep&) = delete;

 private:
  sigset_t before_{};
};

// Does not return once such a signal is ending the process: the handler removes temporaries that other threads
// still use, and their failures must not be reported.
void park_if_ending();

}  // namespace convert
