// SPDX-License-Identifier: MIT
// Makes some ranks of a set a set of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"

namespace convert {

struct RankSubset {
  std::vector<Rank> ranks;     // the ranks of the subset, ascending
  bool renumber = true;        // the ranks become 0…n-1
  bool drop_messages = false;  // omit messages from and to other ranks; else they are an error
  // Returns the members of a process group (by pg_name) in order, or null if it is not defined. Used for groups of
  // collectives that state their ranks. Must be thread-safe.
  std::function<const std::vector<Rank>*(std::string_view)> members{};

  [[nodiscard]] bool takes(std::int64_t rank) const;
  // Returns the number of a rank in the subset.
  [[nodiscard]] Rank number(Rank rank) const;
};

struct SubsetCounts {
  std::uint64_t dropped = 0;                                   // sends and receives
  std::map<std::string, std::uint64_t, std::less<>> of_group;  // collectives by pg_name; "0": no group is named

  void add(const SubsetCounts& other);
};

// Converts the trace of an included rank: its number, the peers of its messages, roots, and the group data of
// collectives: group_size, and send_splits and recv_splits, with the bytes (comm_size, comm_bytes_out) in
// proportion. Nodes that depended on a dropped message depend on its dependencies instead. Throws Error(input)
// [split]: with the node, for a message from or to another rank, or comm_src or comm_dst of another kind; with the
// trace, if messages are dropped, for a cycle or too many dependencies.
[[nodiscard]] SubsetCounts take_rank(const RankSubset& subset, Trace& trace);

}  // namespace convert
