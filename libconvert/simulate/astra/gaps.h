// SPDX-License-Identifier: MIT
// Lists the cases in which ASTRA-sim stops or waits for ever, while a replay by its rules computes something.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace convert {

// Names the causes, each with a text in gaps.cpp.
enum class AstraGap : std::uint8_t {
  several_dimensions,  // of the congestion-aware network
  ring_of_two,         // the same
  metadata_node,
  invalid_node,        // what it frees has to wait for an end that does not come
  time_zero,           // something ends at time 0
  no_operations,       // roofline
  custom_chunks,       // a custom collective in several chunks
  custom_group_order,  // … on a group whose ranks are not ascending
  custom_node,         // … with a node that is neither a message nor computes
  gathers_less_than_chunks,
  uneven_group_use,  // streams of all ranks' collectives have other numbers on some ranks
  long_rendezvous,   // messages of 2^31 bytes and more
  statistics,        // a message ends an NPU that has nodes which the statistics do not know
};
inline constexpr std::size_t astra_gaps = 13;

// Stands in front of messages about gaps.
inline constexpr std::string_view astra_gap_text = "ASTRA-sim has no result to compare with: ";
// Returns why ASTRA-sim gives no result.
[[nodiscard]] std::string_view cause(AstraGap gap);

// Holds the gaps of a replay.
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
