// SPDX-License-Identifier: MIT
// Lists the collectives of a trace by group, in the order in which a simulator issues them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/trace.h"

namespace convert {

// The attributes of collectives that are read, the first of each name.
inline constexpr std::array collective_attributes = {
    attr::comm_type,      attr::comm_size, attr::pg_name,  attr::involved_dim, attr::group_size,
    attr::comm_bytes_out, attr::comm_src,  attr::comm_dst, attr::send_splits,  attr::recv_splits};

struct CollectiveNode {
  static constexpr std::uint32_t unknown_type = 15;  // comm_type is absent or no collective

  std::uint32_t node = 0;             // index in the trace
  std::uint32_t type : 4 = 0;         // Collective
  std::uint32_t has_details : 1 = 0;  // in GroupUse::details
  std::int64_t size = -1;             // comm_size, bytes; -1 if it is not known
  std::uint64_t position : 48 = 0;    // NodeTable::positions, 0 if unknown
  std::uint64_t name : 16 = 0;        // free for the caller: a number for the node's name
};

// Details that few collectives have.
struct CollectiveDetails {
  std::uint32_t call = 0;       // index into GroupUse::calls
  std::int64_t root = -1;       // the rank of comm_src or comm_dst, by type; -1: not stated, or the type has none
  std::int64_t bytes_out = -1;  // of an all-gather: see unequal_bytes_out()
  std::uint64_t dims_left_out = 0;  // a bit for each dimension that involved_dim leaves out
  Range send_splits{};              // into GroupUse::splits: bytes for each rank of the group
  Range recv_splits{};
};

// The collectives of one group on one rank.
struct GroupUse {
  std::string group{};                       // pg_name; empty for that of all ranks, which "0" also means
  std::vector<CollectiveNode> calls{};       // in the order of issue
  std::vector<CollectiveDetails> details{};  // ascending by call
  std::vector<std::int64_t> splits{};        // bytes, of all calls
  struct StatedSize {
    std::int64_t ranks;  // group_size
    std::uint32_t call;  // the first that says so
  };
  std::vector<StatedSize> stated_sizes{};  // the first few different ones

  // Returns the details of a call; without root and splits if it has none.
  [[nodiscard]] CollectiveDetails details_of(std::uint32_t call) const;
  [[nodiscard]] std::span<const std::int64_t> list(Range r) const { return {splits.data() + r.begin, r.count}; }
};

// The collectives of one rank by group, in the order of first use.
using RankCollectives = std::vector<GroupUse>;
// Returns the total bytes of an all-gather of `bytes` by comm_bytes_out; -1 without the attribute, or if the total
// is equal parts of group_size ranks (if stated).
[[nodiscard]] std::int64_t unequal_bytes_out(const Attr* bytes_out, std::int64_t bytes, const Attr* group_size);

// Returns the collectives of a rank in `order`, from communication_order(). Omits collectives with a pg_name that
// is not a string.
[[nodiscard]] RankCollectives collectives_of(const NodeTable& table, std::span<const std::uint32_t> order);

}  // namespace convert
