// SPDX-License-Identifier: MIT
// Collectives of a trace by group, in the order in which a simulator issues them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/trace.h"

namespace convert {

// Attributes of collectives that are read; the first attribute of each name counts.
inline constexpr std::array collective_attributes = {
    attr::comm_type,      attr::comm_size, attr::pg_name,  attr::involved_dim, attr::group_size,
    attr::comm_bytes_out, attr::comm_src,  attr::comm_dst, attr::send_splits,  attr::recv_splits};

struct CollectiveNode {
  static constexpr std::uint32_t unknown_type = 15;  // comm_type is absent or not a collective

  std::uint32_t node = 0;             // index in the trace
  std::uint32_t type : 4 = 0;         // Collective
  std::uint32_t has_details : 1 = 0;  // in GroupUse::details
  std::int64_t size = -1;             // comm_size in bytes; -1 if unknown
  std::uint64_t position : 48 = 0;    // NodeTable::positions, 0 if unknown
  std::uint64_t name : 16 = 0;        // reserved for the caller: a number for the node's name
};

// Details that few collectives have.
struct CollectiveDetails {
  std::uint32_t call = 0;       // index into GroupUse::calls
  std::int64_t root = -1;       // rank in comm_src or comm_dst, by type; -1 if absent, or if the type has no root
  std::int64_t bytes_out = -1;  // total of an all-gather: see unequal_bytes_out()
  std::uint64_t dims_left_out = 0;  // bit d is set if involved_dim excludes dimension d
  Range send_splits{};              // into GroupUse::splits: bytes for each rank of the group
  Range recv_splits{};
};

// The collectives of one group on one rank.
struct GroupUse {
  std::string group{};                       // pg_name; empty or "0" in the trace: the group of all ranks
  std::vector<CollectiveNode> calls{};       // in the order of issue
  std::vector<CollectiveDetails> details{};  // ascending by call
  std::vector<std::int64_t> splits{};        // bytes; splits of all calls
  struct StatedSize {
    std::int64_t ranks;  // group_size
    std::uint32_t call;  // the first call with this size
  };
  std::vector<StatedSize> stated_sizes{};  // the first few distinct values

  // Returns the details of a call; root and splits are unset if the call has no details.
  [[nodiscard]] CollectiveDetails details_of(std::uint32_t call) const;
  [[nodiscard]] std::span<const std::int64_t> list(Range r) const { return {splits.data() + r.begin, r.count}; }
};

// Collectives of one rank by group, in order of first use.
using RankCollectives = std::vector<GroupUse>;
// Returns the total bytes of an all-gather of `bytes` from comm_bytes_out. Returns -1 without the attribute, or if
// the total equals `bytes` × group_size.
[[nodiscard]] std::int64_t unequal_bytes_out(const Attr* bytes_out, std::int64_t bytes, const Attr* group_size);

// Returns the collectives of a rank in `order`, which comes from communication_order(). Omits collectives whose
// pg_name is not a string.
[[nodiscard]] RankCollectives collectives_of(const NodeTable& table, std::span<const std::uint32_t> order);

}  // namespace convert
