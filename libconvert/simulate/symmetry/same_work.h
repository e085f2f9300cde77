// SPDX-License-Identifier: MIT
// Finds codes with equal operations, except for names and the numbers of peers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

#include "simulate/program/program.h"
#include "simulate/symmetry/digits.h"
#include "simulate/symmetry/symmetry.h"

namespace convert {

// Numbers of the operations of ranks; equal numbers mean equal operations.
class WorkNumbers {
 public:
  explicit WorkNumbers(const ReplayProgram& program);
  [[nodiscard]] std::uint32_t of(const RankCode* code) const { return numbers_.at(code); }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::unordered_map<const RankCode*, std::uint32_t> numbers_;
  std::uint32_t count_ = 0;
};

// Returns the first difference, for example ": node 3 (COMP_NODE and SEND)"; empty if no node differs.
[[nodiscard]] std::string first_difference(const RankCode& a, const RankCode& b);

// A map of the ranks of a custom algorithm onto another algorithm or itself: `turn` indices on in the ring, or a
// shift of all ranks along a digit.
struct CustomMove {
  std::uint32_t from = 0;
  std::uint32_t onto = 0;
  std::uint32_t turn = 0;
  std::optional<RankDigit> digit{};
};

// Checks which moves of custom algorithms preserve their operations; checks each move once.
class CustomWork {
 public:
  explicit CustomWork(const ReplayProgram& program) : program_(program) {}

  struct Fit {
    bool same = true;
    bool same_tags = true;
  };
  // `digit` is the number of the move's digit, if it has one.
  [[nodiscard]] Fit fit(const CustomMove& move, std::size_t digit);

 private:
  [[nodiscard]] Fit compare(const CustomMove& move) const;
  [[nodiscard]] bool places_fit(const CustomMove& move, Rank place, Rank other, Fit& fit) const;

  const ReplayProgram& program_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::size_t>, Fit> known_;
};

// Adds the channels of rank `a` and of rank `b`, which has equal operations, and joins corresponding channels.
void add_channels(const ReplayProgram& program, Rank a, Rank b, ChannelOrbits& orbits);

}  // namespace convert
