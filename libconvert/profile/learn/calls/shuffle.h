// SPDX-License-Identifier: MIT
// Removes the order of communications from sequences that occur fewer than k times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace convert {

// The communications of a part of a rank.
struct CallSequence {
  std::size_t job = 0;
  std::uint32_t part = 0;
  bool circular = false;  // places are in the rank's own order
  std::vector<std::uint32_t> classes{};
  std::vector<std::uint32_t> places{};  // positions in the order of the job, ascending
};

// Returns for each sequence the new order of its calls, as call indices. Calls of a pair of neighbours (the ends
// count as calls) that occurs fewer than k times are permuted at random, equally on all ranks. If positions are in
// the rank's own order, such calls are sorted by class instead. `moved`: number of calls without an order.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> shuffle_rare(std::span<const CallSequence> sequences,
                                                                   std::uint32_t k, std::uint64_t& moved);

}  // namespace convert
