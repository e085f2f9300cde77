// SPDX-License-Identifier: MIT
// One line on standard error that shows how far a long run is.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace convert {

// "label: 42 %", or "label: 1234" where the total is 0 (unknown). Painted at most ten times a second, the first
// time after a tenth of a second; gone with the object. Thread-safe. Silent unless enabled.
class Progress {
 public:
  Progress(const std::string& label, std::uint64_t total, bool enabled);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(std::uint64_t amount);
  // Wipes the line, for a message to come; the next add() may paint it again.
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
