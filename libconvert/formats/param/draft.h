// SPDX-License-Identifier: MIT
// Makes a communications trace of PARAM of a rank's nodes.
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

// What a communications trace has no place for, and so leaves out or changes.
enum class ParamLoss : std::uint8_t { computation, memory, other_node, no_type, other_type, uneven, count };

// Holds the messages from or to a rank in a group, in their order.
struct ParamFlow {
  Rank peer = 0;
  std::int64_t group = -1;
  bool sends = false;
  std::uint64_t messages = 0;
  std::uint64_t tags = 0;  // a hash of the sequence of their tags

  [[nodiscard]] std::array<std::int64_t, 3> key() const { return {sends ? 1 : 0, group, peer}; }
};

struct ParamDraft : RankDraft {
  ParamFile file;                    // entries without inits; out_bytes -1: what follows from in_bytes
  std::vector<std::uint64_t> nodes;  // by entry: the id of its node
  Rank world = 0;                    // as the metadata say; 0: they do not
  bool replay_times = false;         // starts are those of a replay, not of a recording
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
  bool gemm = false;  // computations with num_ops as products of square matrices; else they are left out
};

// Puts the nodes into an order that their dependencies allow, by start time where they have one, then by rounds: so
// that no rank waits for what another one posts behind a wait for this rank. An operation on
// which the next entry depends runs by itself; others are posted, with a wait before the first entry that depends
// on them. Throws Error(input) with the node at what cannot be expressed.
[[nodiscard]] std::unique_ptr<ParamDraft> draft_param(const Trace& trace, std::span<const std::uint32_t> rounds,
                                                      const ParamWriteOptions& options);

// Appends the text of the rank's file, and then lets go of the entries.
void write_param(ParamDraft& draft, const WrittenSetFacts& facts, std::string& out);

}  // namespace convert
