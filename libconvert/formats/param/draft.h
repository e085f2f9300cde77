// SPDX-License-Identifier: MIT
// Conversion of a rank's nodes to a PARAM communications trace.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/trace.h"
#include "formats/param/entries.h"
#include "formats/set_writer.h"

namespace convert {

// Properties of nodes that a communications trace cannot represent, so they are omitted or changed.
enum class ParamLoss : std::uint8_t { computation, memory, other_node, no_type, other_type, uneven, count };

// Messages to or from a peer in a group, in order.
struct ParamFlow {
  Rank peer = 0;
  std::int64_t group = -1;
  bool sends = false;
  std::uint64_t messages = 0;
  std::uint64_t tags = 0;  // a hash of the sequence of tags

  [[nodiscard]] std::array<std::int64_t, 3> key() const { return {sends ? 1 : 0, group, peer}; }
};

struct ParamDraft : RankDraft {
  ParamFile file;                    // entries without inits; out_bytes is -1 if it follows from in_bytes
  std::vector<std::uint64_t> nodes;  // by entry: id of its node
  Rank world = 0;                    // number of ranks in the metadata; 0: unknown
  bool replay_times = false;         // starts are from a replay, not from a recording
  struct Lost {
    std::uint64_t count = 0;
    NodeId first = 0;
  };
  std::array<Lost, static_cast<std::size_t>(ParamLoss::count)> lost{};
  std::vector<ParamFlow> flows;  // by key

  void lose(ParamLoss what, NodeId node) {
    Lost& l = lost[static_cast<std::size_t>(what)];
    if (l.count++ == 0) l.first = node;
  }
};

struct ParamWriteOptions {
  bool gemm = false;  // write computations with num_ops as products of square matrices; otherwise omit them
};

// Orders the nodes as their dependencies allow: by start time if known, then by round, so that no rank waits for an
// operation that another rank posts after a wait for this rank. An operation is blocking if the next entry depends
// on it. Other operations are posted, with a wait before the first entry that depends on them. Throws Error(input)
// with the node if the trace cannot be expressed.
[[nodiscard]] std::unique_ptr<ParamDraft> draft_param(const Trace& trace, std::span<const std::uint32_t> rounds,
                                                      const ParamWriteOptions& options);

// Appends the text of the rank's file, and then frees the entries.
void write_param(ParamDraft& draft, const WrittenSetFacts& facts, std::string& out);

}  // namespace convert
