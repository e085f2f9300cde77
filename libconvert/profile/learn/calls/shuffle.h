// SPDX-License-Identifier: MIT
// Takes the order from communications that stand in it fewer than k times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace convert {

// The communications of a part of a rank.
struct CallSequence {
  std::size_t job = 0;
  std::uint32_t part = 0;
  bool circular = false;  // places are the rank's own
  std::vector<std::uint32_t> classes{};
  std::vector<std::uint32_t> places{};  // in the order of the job; ascending
};

// Returns for each sequence the order in which its calls are to stand, as their numbers. Calls that are part of
// four in a row (the ends counted as calls) of which there are fewer than k change places by chance, on all ranks
// alike; where places are the rank's own they are ordered by class. `moved`: how many have no order of their own.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> shuffle_rare(std::span<const CallSequence> sequences,
                                                                   std::uint32_t k, std::uint64_t& moved);

}  // namespace convert
