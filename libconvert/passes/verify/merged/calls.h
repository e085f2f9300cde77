// SPDX-License-Identifier: MIT
// Holds what a rank has in the place of its collectives, compact enough to keep all ranks in memory: most instances
// of an algorithm differ in ids, tags and sizes only, and equal parts are kept once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "passes/verify/number_lists.h"

namespace convert {

// Holds the nodes of a rank in one instance, whose ids follow each other, as lists.
struct MergedPart {
  // One list for all nodes, each: its type; of a message the index of its peer in `peers`, and its tag minus
  // `first_tag`; how many data dependencies it has on nodes of the part, and their positions; the same of control.
  std::uint32_t shape = no_index;
  std::uint32_t peers = no_index;  // ranks, in the order of their first message
  std::uint32_t sizes = no_index;  // by message: comm_size, its lower and upper half
  std::int64_t first_tag = 0;
};

// Holds one merged collective on one rank.
struct MergedCall {
  NodeId id = 0;          // the collective's
  NodeId first_node = 0;  // id of the first node in its place
  std::uint64_t instance = 0;
  std::uint32_t first_part = 0;  // into MergedCalls::parts
  std::uint32_t parts = 0;       // instances that it was cut into
  std::uint32_t name = 0;        // into texts
  std::uint32_t group = 0;       // into texts: pg_name, "0" for none
  std::uint32_t program = no_index;
  std::uint32_t why_not = 0;  // into texts: why nothing can be proved; empty otherwise
  bool broken = false;        // a reported defect
  std::int64_t type = -1;
  std::int64_t bytes = 0;  // comm_size
  std::int64_t root = -1;  // rank; -1: not told
};

struct MergedCalls {
  Rank rank = 0;
  std::string file;  // for messages
  std::vector<MergedCall> calls;
  std::vector<MergedPart> parts;
  std::vector<std::string> texts{""};
  NumberLists lists;
  std::uint64_t other_nodes = 0;  // nodes of no merged collective
};

// Reads the merged collectives of a rank. Reports as errors of rule provenance, with the collective's name: missing
// nodes, dependencies into and out of the middle, tags that several instances share.
[[nodiscard]] MergedCalls merged_calls(const Trace& trace, Diagnostics& diagnostics);

// Names the positions of the numbers that the list of a program (MergedCall::program) begins with.
struct MergedSteps {
  static constexpr std::size_t collective = 0, protocol = 1, chunks = 2, places = 3, inplace = 4, outofplace = 5,
                               i_chunks = 6, o_chunks = 7, s_chunks = 8, scheduled = 9, place = 10, copies = 11;
  // Behind these: two numbers for each copy, then merged::step_numbers for each node.
  static constexpr std::size_t head = 12;
};

}  // namespace convert
