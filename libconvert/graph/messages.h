// SPDX-License-Identifier: MIT
// Lists the point-to-point messages of a trace set: what each rank sends and receives, and which of them meet.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/trace.h"
#include "graph/graph.h"

namespace convert {

// The attributes of messages that are read.
inline constexpr std::array message_attributes = {attr::comm_src, attr::comm_dst, attr::comm_tag, attr::comm_size,
                                                  attr::msg_chunk_cnt};

enum class SizeUnit : std::uint8_t { unknown, bytes, chunks };  // bytes: of comm_size; chunks: of msg_chunk_cnt

// A send or receive node that names its peer and tag.
struct Message {
  std::uint32_t node = 0;  // index in the trace
  std::int32_t peer = 0;   // may lie outside the set
  std::int64_t tag = 0;
  std::uint64_t size : 62 = 0;
  std::uint64_t unit : 2 = 0;
  std::uint64_t position : 48 = 0;  // NodeTable::positions, 0 if unknown
  std::uint64_t name : 16 = 0;      // free for the caller: a number for the node's name
  [[nodiscard]] SizeUnit size_unit() const { return static_cast<SizeUnit>(unit); }
};

// The messages of a rank in the order in which a simulator issues them, see communication_order().
struct RankMessages {
  std::vector<Message> sends;
  std::vector<Message> recvs;
};
// Returns the sends, receives and collectives, by index, in the order in which a simulator issues them:
// dependencies first, of several ready nodes the lowest id. Nodes on and behind cycles are at the end, by id.
[[nodiscard]] std::vector<std::uint32_t> communication_order(const NodeTable& table, const Graph& graph);
// Return the messages of a rank without nodes whose peer or tag cannot be read.
[[nodiscard]] RankMessages messages_of(const NodeTable& table, std::span<const std::uint32_t> communication_order);
[[nodiscard]] RankMessages messages_of(const NodeTable& table, const Graph& graph);

// All messages of one source, destination and tag; the k-th send meets the k-th receive.
struct MessageGroup {
  Rank src;
  Rank dst;
  std::int64_t tag;
  std::span<const std::uint32_t> sends;  // into ranks[src]->sends
  std::span<const std::uint32_t> recvs;  // into ranks[dst]->recvs
};
// Visits the groups by source, destination, tag; their spans are valid during the visit. `ranks` is indexed by
// rank; messages from or to other ranks are left out.
void for_each_message_group(std::span<const RankMessages* const> ranks,
                            const std::function<void(const MessageGroup&)>& visit);

// Replaces each peer by its position in `ranks`, so that for_each_message_group takes the messages of a part of a
// set, such as of ranks 3 and 7. Other peers get a position that no rank has.
void peers_to_positions(std::span<RankMessages> messages, std::span<const Rank> ranks);

struct MessagePair {
  std::uint32_t from_rank;  // positions in the set
  std::uint32_t to_rank;
  std::uint32_t from_node;  // indices in the trace
  std::uint32_t to_node;
};
// Visits the pairs of the k-th send and the k-th receive of each source, destination and tag.
void for_each_message_pair(std::span<const RankMessages> ranks,
                           const std::function<void(const MessagePair&)>& visit);

}  // namespace convert
