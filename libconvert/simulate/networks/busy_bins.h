// SPDX-License-Identifier: MIT
// Busy time of links over time: for each link in bins of equal width, which grows with the run.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/trace.h"
#include "core/units.h"

namespace convert {

class BusyBins {
 public:
  static constexpr std::uint32_t most_bins = 512;  // per link; fewer if there are many links

  // `like`: number of links that each link represents.
  explicit BusyBins(std::uint32_t like = 1) : like_(like) {}

  // Adds the time from `begin` to `end` to a link. A bin is at most full if times of one link overlap.
  void add(std::uint32_t wire, Picoseconds begin, Picoseconds end) {
    if (row_of_.size() <= wire) row_of_.resize(wire + 1, no_index);
    if (row_of_[wire] == no_index) {
      if (std::uint64_t{rows_ + 1} * like_ * bins_ > most_values && bins_ > least_bins) halve_bins();
      row_of_[wire] = rows_++;
      busy_.resize(std::size_t{rows_} * bins_);
    }
    while ((end - 1) / bins_ >= width_) merge_pairs();  // the end of all bins may exceed the clock
    Picoseconds* const row = busy_.data() + std::size_t{row_of_[wire]} * bins_;
    Picoseconds left = width_ - begin % width_;  // in the bin
    for (Picoseconds bin = begin / width_; begin < end; ++bin, left = width_) {
      const Picoseconds part = std::min(end - begin, left);
      row[bin] += part;
      begin += part;
    }
  }

  // Return the width of a bin, and the number of bins up to `reached`.
  [[nodiscard]] Picoseconds width() const { return width_; }
  [[nodiscard]] std::uint32_t count(Picoseconds reached) const {
    return static_cast<std::uint32_t>(
        std::min<Picoseconds>(bins_, reached / width_ + (reached % width_ == 0 ? 0 : 1)));
  }
  // Appends the busy fraction of the link in each of the first `count` bins; 255 is fully busy.
  void append(std::uint32_t wire, std::uint32_t count, std::vector<std::uint8_t>& out) const {
    const std::uint32_t row = wire < row_of_.size() ? row_of_[wire] : no_index;
    for (std::uint32_t bin = 0; bin < count; ++bin) {
      const Picoseconds busy = row == no_index ? 0 : std::min(width_, busy_[std::size_t{row} * bins_ + bin]);
      out.push_back(
          static_cast<std::uint8_t>(std::lround(static_cast<double>(busy) / static_cast<double>(width_) * 255)));
    }
  }

 private:
  static constexpr std::uint32_t least_bins = 16;
  static constexpr std::uint64_t most_values = std::uint64_t{8} << 20U;  // 64 MiB

  // Doubles the width of bins; the second half of each row is then free.
  void merge_pairs() {
    width_ *= 2;
    for (std::uint32_t r = 0; r < rows_; ++r) {
      Picoseconds* const row = busy_.data() + std::size_t{r} * bins_;
      for (std::uint32_t b = 0; b < bins_; ++b)
        row[b] = b < bins_ / 2 ? row[std::size_t{2} * b] + row[std::size_t{2} * b + 1] : 0;
    }
  }
  // Doubles the width of bins and halves their number, so that more links fit.
  void halve_bins() {
    merge_pairs();
    const std::uint32_t before = bins_;
    bins_ /= 2;
    for (std::uint32_t r = 0; r < rows_; ++r)
      std::copy_n(busy_.data() + std::size_t{r} * before, bins_, busy_.data() + std::size_t{r} * bins_);
    busy_.resize(std::size_t{rows_} * bins_);
  }

  std::uint32_t like_;
  Picoseconds width_ = ps_per_ns;
  std::uint32_t bins_ = most_bins;
  std::uint32_t rows_ = 0;
  std::vector<std::uint32_t> row_of_;  // by link
  std::vector<Picoseconds> busy_;      // by row and bin
};

}  // namespace convert
