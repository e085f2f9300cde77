// SPDX-License-Identifier: MIT
#include "util/progress.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "util/visible.h"

namespace convert {
namespace {

constexpr std::chrono::milliseconds repaint_interval{100};
constexpr char wipe[] = "\r\x1b[K";

}  // namespace

Progress::Progress(const std::string& label, std::uint64_t total, bool enabled)
    : label_(visible(label)),
      total_(total),
      enabled_(enabled),
      next_paint_((Clock::now() + repaint_interval).time_since_epoch().count()) {}

void Progress::add(std::uint64_t amount) {
  const std::uint64_t done = done_.fetch_add(amount, std::memory_order_relaxed) + amount;
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  Clock::rep due = next_paint_.load(std::memory_order_relaxed);
  if (now.time_since_epoch().count() < due) return;
  // Only one of several threads paints.
  if (next_paint_.compare_exchange_strong(due, (now + repaint_interval).time_since_epoch().count())) paint(done);
}

void Progress::paint(std::uint64_t done) {
  std::string line = wipe + label_ + ": ";
  if (total_ == 0) {
    line += std::to_string(done);
  } else {
    const double part = static_cast<double>(std::min(done, total_)) / static_cast<double>(total_);
    line += std::to_string(static_cast<int>(part * 100)) + " %";
  }
  const std::lock_guard lock(mutex_);
  painted_ = true;
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(painted_, false)) return;
  std::fputs(wipe, stderr);
  std::fflush(stderr);
}

}  // namespace convert
