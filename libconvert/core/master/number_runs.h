// SPDX-License-Identifier: MIT
// List of numbers, stored as runs with constant steps: 0, 8, 16, 24 is one run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace convert {

// Numbers and steps wrap at 2^64.
class NumberRuns {
 public:
  struct Run {
    std::uint64_t first = 0;
    std::uint64_t step = 0;
    std::uint64_t begin = 0;  // number of values before the run
    friend bool operator==(const Run&, const Run&) = default;
  };

  void add(std::uint64_t value) {
    if (!runs_.empty()) {
      Run& last = runs_.back();
      const std::uint64_t in_run = size_ - last.begin;
      if (in_run == 1) last.step = value - last.first;
      if (value == last.first + in_run * last.step) {
        ++size_;
        return;
      }
    }
    runs_.push_back({.first = value, .begin = size_++});
  }
  // Adds a run of `count` ≥ 1 numbers.
  void add_run(std::uint64_t first, std::uint64_t step, std::uint64_t count) {
    runs_.push_back({first, step, size_});
    size_ += count;
  }

  [[nodiscard]] std::uint64_t operator[](std::uint64_t i) const {
    const auto after = std::upper_bound(runs_.begin(), runs_.end(), i,
                                        [](std::uint64_t at, const Run& run) { return at < run.begin; });
    const Run& run = *(after - 1);
    return run.first + (i - run.begin) * run.step;
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }
  [[nodiscard]] std::uint64_t count_of(std::size_t run) const {
    return (run + 1 < runs_.size() ? runs_[run + 1].begin : size_) - runs_[run].begin;
  }
  friend bool operator==(const NumberRuns&, const NumberRuns&) = default;

 private:
  std::vector<Run> runs_;
  std::uint64_t size_ = 0;
};

}  // namespace convert
