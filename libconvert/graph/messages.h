// SPDX-License-Identifier: MIT
// Point-to-point messages of a trace set: the sends and receives of each rank, and the matching pairs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/trace.h"
#include "graph/graph.h"

namespace convert {

// Attributes of messages that are read.
inline constexpr std::array message_attributes = {attr::comm_src, attr::comm_dst, attr::comm_tag, attr::comm_size,
                                                  attr::msg_chunk_cnt};

enum class SizeUnit : std::uint8_t { unknown, bytes, chunks };  // bytes: from comm_size; chunks: from msg_chunk_cnt

// A send or receive node with a peer and a tag.
struct Message {
  std::uint32_t node = 0;  // index in the trace
  std::int32_t peer = 0;   // may be outside the set
  std::int64_t tag = 0;
  std::uint64_t size : 62 = 0;
  std::uint64_t unit : 2 = 0;
  std::uint64_t position : 48 = 0;  // NodeTable::positions, 0 if unknown
  std::uint64_t name : 16 = 0;      // reserved for the caller: a number for the node's name
  [[nodiscard]] SizeUnit size_unit() const { return static_cast<SizeUnit>(unit); }
};

// Messages of a rank in the order in which a simulator issues them; see communication_order().
struct RankMessages {
  std::vector<Message> sends;
  std::vector<Message> recvs;
};
// Returns the indices of the sends, receives and collectives in the order in which a simulator issues them:
// dependencies first, and the lowest id first among ready nodes. Nodes on a cycle or after it come last, by id.
[[nodiscard]] std::vector<std::uint32_t> communication_order(const NodeTable& table, const Graph& graph);
// Return the messages of a rank. Omit nodes whose peer or tag cannot be read.
[[nodiscard]] RankMessages messages_of(const NodeTable& table, std::span<const std::uint32_t> communication_order);
[[nodiscard]] RankMessages messages_of(const NodeTable& table, const Graph& graph);

// All messages with one source, destination and tag; the k-th send matches the k-th receive.
struct MessageGroup {
  Rank src;
  Rank dst;
  std::int64_t tag;
  std::span<const std::uint32_t> sends;  // into ranks[src]->sends
  std::span<const std::uint32_t> recvs;  // into ranks[dst]->recvs
};
// Visits the groups by source, destination, tag. Their spans are valid only during the visit. `ranks` is indexed by
// rank; messages to or from other ranks are omitted.
void for_each_message_group(std::span<const RankMessages* const> ranks,
                            const std::function<void(const MessageGroup&)>& visit);

// Replaces each peer by its position in `ranks`, so that for_each_message_group() accepts a subset of a trace set,
// such as ranks 3 and 7. Other peers get a position outside `ranks`.
void peers_to_positions(std::span<RankMessages> messages, std::span<const Rank> ranks);

struct MessagePair {
  std::uint32_t from_rank;  // positions in the set
  std::uint32_t to_rank;
  std::uint32_t from_node;  // indices in the trace
  std::uint32_t to_node;
};
// Visits each pair of k-th send and k-th receive with equal source, destination and tag.
void for_each_message_pair(std::span<const RankMessages> ranks,
                           const std::function<void(const MessagePair&)>& visit);

}  // namespace convert
