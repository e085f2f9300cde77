// SPDX-License-Identifier: MIT
// Merged collectives of a rank, compact enough to keep all ranks in memory: most instances of an algorithm differ
// only in ids, tags and sizes, and equal lists are stored once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "passes/verify/number_lists.h"

namespace convert {

// Nodes of a rank in one instance, with consecutive ids, as lists.
struct MergedPart {
  // One list for all nodes. For each node: its type; for a message the index of its peer in `peers`, and its tag
  // minus `first_tag`; the number of data dependencies on nodes of the part, and their positions; the same for
  // control dependencies.
  std::uint32_t shape = no_index;
  std::uint32_t peers = no_index;  // ranks, in the order of their first message
  std::uint32_t sizes = no_index;  // by message: comm_size, as lower and upper half
  std::int64_t first_tag = 0;
};

// One merged collective on one rank.
struct MergedCall {
  NodeId id = 0;          // of the collective
  NodeId first_node = 0;  // id of the first node that replaces it
  std::uint64_t instance = 0;
  std::uint32_t first_part = 0;  // into MergedCalls::parts
  std::uint32_t parts = 0;       // number of instances that it was split into
  std::uint32_t name = 0;        // into texts
  std::uint32_t group = 0;       // into texts: pg_name, "0" if there is no name
  std::uint32_t program = no_index;
  std::uint32_t why_not = 0;  // into texts: why no proof is possible; empty otherwise
  bool broken = false;        // a reported defect
  std::int64_t type = -1;
  std::int64_t bytes = 0;  // comm_size
  std::int64_t root = -1;  // rank; -1: unknown
};

// Merged collectives of one rank.
struct MergedCalls {
  Rank rank = 0;
  std::string file;  // for messages
  std::vector<MergedCall> calls;
  std::vector<MergedPart> parts;
  std::vector<std::string> texts{""};
  NumberLists lists;
  std::uint64_t other_nodes = 0;  // nodes outside merged collectives
};

// Reads the merged collectives of a rank. Reports as errors of rule provenance, with the collective's name: missing
// nodes, dependencies into and out of its inner nodes, and tags shared by several instances.
[[nodiscard]] MergedCalls merged_calls(const Trace& trace, Diagnostics& diagnostics);

// Positions of the numbers at the beginning of a program's list (MergedCall::program).
struct MergedSteps {
  static constexpr std::size_t collective = 0, protocol = 1, chunks = 2, places = 3, inplace = 4, outofplace = 5,
                               i_chunks = 6, o_chunks = 7, s_chunks = 8, scheduled = 9, place = 10, copies = 11;
  // Followed by two numbers for each copy, then merged::step_numbers for each node.
  static constexpr std::size_t head = 12;
};

}  // namespace convert
