// SPDX-License-Identifier: MIT
// Options of anonymisation: which data of a set is hidden in addition to words, and how.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/name.h"

namespace convert {

// Hashes bytes with a secret key. Must be safe to call from several threads.
using KeyedHash = std::function<std::array<std::uint8_t, 32>(std::string_view)>;

enum class HiddenNames : std::uint8_t {
  keyed,   // twelve digits of the keyed hash; equal names stay equal
  type,    // only the node's type
  number,  // a number in order of appearance
};

enum class SizeRounding : std::uint8_t { none, power_of_two, two_digits };

struct AnonymizeOptions {
  HiddenNames names = HiddenNames::keyed;
  std::vector<Name> keep{};  // attributes that stay unchanged
  std::string note{};        // tool and options, for the metadata; empty: none
  bool starts = true;        // keep start times; ignored if times are changed node by node
  double jitter = 0;         // largest relative change of a time
  int time_digits = 0;       // significant digits of times; 0: all
  SizeRounding sizes = SizeRounding::none;
  double scale = 1;              // factor of sizes and times
  std::uint64_t least_uses = 1;  // a communication size on fewer nodes is raised to the next larger size
  bool merge_chains = false;
  bool permute_ranks = false;

  [[nodiscard]] bool changes_times() const { return jitter != 0 || time_digits != 0; }
  [[nodiscard]] bool changes_sizes() const { return sizes != SizeRounding::none || scale != 1 || least_uses > 1; }
};

}  // namespace convert
