// SPDX-License-Identifier: MIT
// Says what of a set is hidden, beyond words, and how.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/name.h"

namespace convert {

// Hashes bytes by a secret key. Called by several threads.
using KeyedHash = std::function<std::array<std::uint8_t, 32>(std::string_view)>;

enum class HiddenNames : std::uint8_t {
  keyed,   // twelve digits of the keyed hash: equal names stay equal
  type,    // the node's type alone
  number,  // counted in the order of appearance
};

enum class SizeRounding : std::uint8_t { none, power_of_two, two_digits };

struct AnonymizeOptions {
  HiddenNames names = HiddenNames::keyed;
  std::vector<Name> keep{};  // attributes that stay as they are
  std::string note{};        // who did it, for the metadata; empty: nothing
  bool starts = true;        // when nodes began; left out where times are changed node by node
  double jitter = 0;         // times change by this share at most
  int time_digits = 0;       // significant digits of times; 0: all
  SizeRounding sizes = SizeRounding::none;
  double scale = 1;              // of sizes and times
  std::uint64_t least_uses = 1;  // a size of communication that fewer nodes have becomes the next larger one
  bool merge_chains = false;
  bool permute_ranks = false;

  [[nodiscard]] bool changes_times() const { return jitter != 0 || time_digits != 0; }
  [[nodiscard]] bool changes_sizes() const { return sizes != SizeRounding::none || scale != 1 || least_uses > 1; }
};

}  // namespace convert
