// SPDX-License-Identifier: MIT
// Lowers an algorithm to Chakra traces, and raises it again from the provenance in the traces (mapping:
// et-formats(5)).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/diagnostic.h"
#include "core/trace.h"

namespace convert {

// Writes each step as RECV → COMP → SEND, as far as the step has them. Ids are dense from 0 in (threadblock, step)
// order. A schedule's nodes are in the order of its transfers, with the schedule's tags and sizes. Its receives
// have no dependencies; link order is expressed by control dependencies and by the attributes link_seq and
// link_via.
class Lowering {
 public:
  // Prepares to lower `algorithm`, which must be well-formed, have its dependencies published (hasdep), and outlive
  // this object. `size`: bytes of the whole collective (for an all-gather: each rank's shard × ranks); without it
  // the nodes carry only chunk counters. Throws Error(input) if it is less than one byte per chunk. Warns [sizes]
  // if it is not a multiple of the chunks.
  Lowering(const Algorithm& algorithm, std::optional<std::int64_t> size, Diagnostics& diagnostics);

  // Replaces metadata and nodes of `out`. Thread-safe for different `out`.
  void lower(Rank rank, Trace& out) const;

 private:
  struct RankState;
  void lower_threadblocks(RankState& state, NodeTable& table) const;
  void lower_scheduled(RankState& state, NodeTable& table) const;
  static void write_schedule(const ScheduledTransfer& transfer, NodeTable& out);
  void write_way(Range hops, NodeTable& out) const;
  void write_metadata(Rank rank, Metadata& out) const;
  [[nodiscard]] std::uint32_t target_of(const Step& step, std::span<const Threadblock> tbs,
                                        std::uint32_t first) const;
  void write_copies(RankState& state, NodeTable& out) const;
  void write_step(const Step& step, RankState& state, NodeTable& out) const;
  static std::string_view node_name(std::string_view prefix, const RankState& state, std::array<char, 96>& text);
  static void write_provenance(const Step& step, RankState& state, NodeTable& out);
  [[nodiscard]] std::int64_t bytes(std::int32_t chunks) const;
  // Returns the bytes of a step's message, or nullopt if they are unknown.
  [[nodiscard]] std::optional<std::int64_t> bytes_of(const Step& step) const;

  const Algorithm& a_;
  std::optional<std::int64_t> size_;
  std::vector<std::uint32_t> published_;  // published_steps(a_)
};

// Returns the algorithm that the traces (ranks 0…n-1) were made from. Throws Error(input) if the provenance is
// incomplete, or contradicts itself or the nodes.
[[nodiscard]] Algorithm raise_algorithm(std::span<const Trace> traces);

// Returns whether a trace's nodes and dependencies equal the result of lowering its rank, except for sizes.
[[nodiscard]] bool same_graph(const Lowering& lowering, const Trace& trace);

}  // namespace convert
