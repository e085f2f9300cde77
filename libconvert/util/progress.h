// SPDX-License-Identifier: MIT
// Shows the progress of a long run in one line on standard error.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace convert {

// Shows "label: 42 %", or "label: 1234" if `total` is 0 (unknown), until it is destroyed. The line is updated at
// most ten times a second, first after a tenth of a second. Shows nothing unless enabled. Thread-safe.
class Progress {
 public:
  Progress(const std::string& label, std::uint64_t total, bool enabled);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(std::uint64_t amount);
  // Clears the line before a message. The next add() may print it again.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void paint(std::uint64_t done);

  const std::string label_;
  const std::uint64_t total_;
  const bool enabled_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<Clock::rep> next_paint_;
  std::mutex mutex_;
  bool painted_ = false;
};

}  // namespace convert
