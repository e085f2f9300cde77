// SPDX-License-Identifier: MIT
// Cases in which ASTRA-sim stops or waits forever, while a replay by its rules computes a result.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace convert {

// Causes; cause() returns the text of each.
enum class AstraGap : std::uint8_t {
  several_dimensions,  // the congestion-aware network has several dimensions
  ring_of_two,         // the congestion-aware network is a ring of two NPUs
  metadata_node,
  invalid_node,        // its dependents wait for an end that never comes
  time_zero,           // something ends at time 0
  no_operations,       // roofline model
  custom_chunks,       // a custom collective in several chunks
  custom_group_order,  // a custom collective in a group whose ranks are not ascending
  custom_node,         // a custom collective with a node other than sends, receives and COMP nodes
  gathers_less_than_chunks,
  uneven_group_use,  // streams of collectives of all ranks have different numbers on different ranks
  long_rendezvous,   // messages of 2^31 bytes or more
  statistics,        // a message ends an NPU that has nodes unknown to the statistics
};
inline constexpr std::size_t astra_gaps = 13;

// Prefix of messages about gaps.
inline constexpr std::string_view astra_gap_text = "ASTRA-sim has no result to compare with: ";
// Returns why ASTRA-sim gives no result.
[[nodiscard]] std::string_view cause(AstraGap gap);

// Set of gaps of a replay.
class AstraGaps {
 public:
  void add(AstraGap gap) { bits_ |= 1U << static_cast<unsigned>(gap); }
  void add(const AstraGaps& others) { bits_ |= others.bits_; }
  [[nodiscard]] bool has(AstraGap gap) const { return (bits_ >> static_cast<unsigned>(gap) & 1U) != 0; }
  [[nodiscard]] std::vector<AstraGap> list() const;

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace convert
