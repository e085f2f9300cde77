// SPDX-License-Identifier: MIT
// Ranks that are provably equivalent, so that one of each class can stand for all: shifts of the ranks along whole
// dimensions of the network that map traces, collectives and links onto themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/program.h"

namespace convert {

class Symmetry {
 public:
  // Shifts along the given dimensions (fastest first), all others fixed.
  Symmetry(std::vector<std::uint32_t> dims, std::vector<bool> shifted)
      : dims_(std::move(dims)), shifted_(std::move(shifted)) {}

  // The member of r's class whose coordinates are 0 in all shifted dimensions.
  [[nodiscard]] Rank representative(Rank r) const { return back(r, r, false); }
  // Where `r` goes if `by` is shifted onto its representative. `exchange`: coordinates are combined by XOR, as
  // partners of halving doubling are, in place of subtraction.
  [[nodiscard]] Rank back(Rank r, Rank by, bool exchange) const {
    Rank result = 0;
    Rank stride = 1;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      const std::uint32_t n = dims_[d];
      const std::uint32_t a = r % n;
      const std::uint32_t b = by % n;
      const std::uint32_t moved = exchange ? a ^ b : (a >= b ? a - b : a + n - b);
      result += stride * (shifted_[d] ? moved : a);
      stride *= n;
      r /= n;
      by /= n;
    }
    return result;
  }
  [[nodiscard]] std::size_t classes() const {
    std::size_t n = 1;
    for (std::size_t d = 0; d < dims_.size(); ++d) n *= shifted_[d] ? 1 : dims_[d];
    return n;
  }

 private:
  std::vector<std::uint32_t> dims_;
  std::vector<bool> shifted_;
};

// The largest symmetry found, if it saves anything. What it cannot see in advance (which of several simultaneous
// events comes first) is watched during the run.
[[nodiscard]] std::optional<Symmetry> find_symmetry(const ReplayProgram& program);

// The program of the representatives alone: other ranks have no code. Channels are those of `symmetry`'s frame: a
// message's source is a representative.
[[nodiscard]] ReplayProgram reduce(const ReplayProgram& program, const Symmetry& symmetry);

}  // namespace convert
