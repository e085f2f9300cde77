// SPDX-License-Identifier: MIT
#include "graph/messages.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <queue>
#include <ranges>
#include <tuple>

#include "core/found_attrs.h"

namespace convert {
namespace {

// Returns whether file order is issue order: ids ascend and no parent follows its child.
bool in_issue_order(const NodeTable& table, const Graph& graph) {
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    if (i > 0 && table.nodes[i].id <= table.nodes[i - 1].id) return false;
    for (const Edge& e : graph.parents(i)) {
      if (e.node > i) return false;
    }
  }
  return true;
}

// Returns the nodes in issue order: ready nodes by id, then the nodes that never become ready because of a cycle,
// by id.
std::vector<std::uint32_t> issue_order(const NodeTable& table, const Graph& graph) {
  using Entry = std::pair<NodeId, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  std::vector<std::uint32_t> open(graph.size());
  std::vector<std::uint32_t> order;
  order.reserve(graph.size());
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    open[i] = static_cast<std::uint32_t>(graph.parents(i).size());
    if (open[i] == 0) ready.emplace(table.nodes[i].id, i);
  }
  while (!ready.empty()) {
    const std::uint32_t i = ready.top().second;
    ready.pop();
    order.push_back(i);
    for (const Edge& e : graph.children(i)) {
      if (--open[e.node] == 0) ready.emplace(table.nodes[e.node].id, e.node);
    }
  }
  const auto issued = static_cast<std::ptrdiff_t>(order.size());
  for (std::uint32_t i = 0; i < graph.size() && order.size() < graph.size(); ++i) {
    if (open[i] != 0) order.push_back(i);
  }
  std::ranges::sort(order.begin() + issued, order.end(), {},
                    [&](std::uint32_t i) { return Entry(table.nodes[i].id, i); });
  return order;
}

void set_size(Message& m, IntValue value, SizeUnit unit) {
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  if (!value || value.value < 0 || value.value >= limit) return;
  m.size = static_cast<std::uint64_t>(value.value) & static_cast<std::uint64_t>(limit - 1);
  m.unit = static_cast<std::uint64_t>(unit) & 3U;
}

// Fills in a message. Returns false if its peer or tag cannot be read. The first attribute of each name counts.
bool read_message(const NodeTable& table, std::uint32_t index, Message& m) {
  const Node& node = table.nodes[index];
  const Name peer_name = node.type == NodeType::comm_send ? attr::comm_dst : attr::comm_src;
  const FoundAttrs<message_attributes> found(table.attributes(node));
  const IntValue rank = int_value(found[peer_name]);
  const IntValue tag_value = int_value(found[attr::comm_tag]);
  if (!rank || !tag_value || rank.value < 0 || rank.value > std::numeric_limits<std::int32_t>::max()) return false;
  m.node = index;
  m.peer = static_cast<std::int32_t>(rank.value);
  m.tag = tag_value.value;
  m.position = (index < table.positions.size() ? table.positions[index] : 0) & ((std::uint64_t{1} << 48U) - 1);
  set_size(m, int_value(found[attr::msg_chunk_cnt]), SizeUnit::chunks);
  set_size(m, int_value(found[attr::comm_size]), SizeUnit::bytes);
  return true;
}

struct Key {
  std::int64_t tag;
  Rank peer;            // destination
  std::uint32_t index;  // ascends in issue order
  friend bool operator<(const Key& a, const Key& b) {
    return std::tie(a.peer, a.tag, a.index) < std::tie(b.peer, b.tag, b.index);
  }
  [[nodiscard]] bool same_group(const Key& k) const { return peer == k.peer && tag == k.tag; }
};

// Sorts stably by number(key) < `range`, by counting.
template <typename Number>
void count_sort(std::vector<Key>& keys, std::vector<Key>& spare, std::size_t range, const Number& number) {
  std::vector<std::uint32_t> begin(range + 1);
  for (const Key& k : keys) ++begin[number(k) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  spare.resize(keys.size());
  for (const Key& k : keys) spare[begin[number(k)]++] = k;
  keys.swap(spare);
}

// Sorts keys, which come by index (sends) or by peer, then index (receives). Uses two counting passes if tags and
// peers are small numbers, which is nearly always so.
void sort_keys(std::vector<Key>& keys, std::vector<Key>& spare) {
  if (keys.empty()) return;
  const auto [low_tag, high_tag] = std::ranges::minmax(std::views::transform(keys, &Key::tag));
  const auto [low_peer, high_peer] = std::ranges::minmax(std::views::transform(keys, &Key::peer));
  const std::uint64_t tags = static_cast<std::uint64_t>(high_tag) - static_cast<std::uint64_t>(low_tag);
  const std::uint64_t peers = high_peer - low_peer;
  const std::uint64_t limit = 2 * keys.size();
  if (tags >= limit || peers >= limit) {
    std::sort(keys.begin(), keys.end());
    return;
  }
  if (tags > 0)
    count_sort(keys, spare, tags + 1, [t = low_tag](const Key& k) { return static_cast<std::size_t>(k.tag - t); });
  if (peers > 0)
    count_sort(keys, spare, peers + 1, [p = low_peer](const Key& k) { return std::size_t{k.peer - p}; });
}

// Sets `out` to the indices of the keys of `group` from position `at` on; returns the position after them.
std::size_t take_run(const std::vector<Key>& keys, std::size_t at, const Key& group,
                     std::vector<std::uint32_t>& out) {
  for (out.clear(); at < keys.size() && keys[at].same_group(group); ++at) out.push_back(keys[at].index);
  return at;
}

struct Received {
  Rank rank;
  std::uint32_t index;
};

// Returns all receives, grouped by source rank. Sets `begin` to the start of each source's receives.
std::vector<Received> receives_by_source(std::span<const RankMessages* const> ranks,
                                         std::vector<std::size_t>& begin) {
  begin.assign(ranks.size() + 2, 0);
  for (const RankMessages* r : ranks) {
    for (const Message& m : r->recvs) {
      if (static_cast<std::size_t>(m.peer) < ranks.size()) ++begin[static_cast<std::size_t>(m.peer) + 2];
    }
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Received> by_source(begin.back());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const std::vector<Message>& recvs = ranks[rank]->recvs;
    for (std::uint32_t i = 0; i < recvs.size(); ++i) {
      const auto source = static_cast<std::size_t>(recvs[i].peer);
      if (source < ranks.size()) by_source[begin[source + 1]++] = {static_cast<Rank>(rank), i};
    }
  }
  return by_source;
}

}  // namespace

std::vector<std::uint32_t> communication_order(const NodeTable& table, const Graph& graph) {
  const auto communicates = [&](std::uint32_t i) {
    const NodeType type = table.nodes[i].type;
    return type == NodeType::comm_send || type == NodeType::comm_recv || type == NodeType::comm_coll;
  };
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    if (communicates(i)) order.push_back(i);
  }
  if (order.empty() || in_issue_order(table, graph)) return order;
  order.clear();
  for (const std::uint32_t i : issue_order(table, graph)) {
    if (communicates(i)) order.push_back(i);
  }
  return order;
}

RankMessages messages_of(const NodeTable& table, std::span<const std::uint32_t> communication_order) {
  std::size_t sends = 0, recvs = 0;
  for (const std::uint32_t i : communication_order) {
    sends += table.nodes[i].type == NodeType::comm_send ? 1 : 0;
    recvs += table.nodes[i].type == NodeType::comm_recv ? 1 : 0;
  }
  RankMessages out;
  out.sends.reserve(sends);
  out.recvs.reserve(recvs);
  for (const std::uint32_t i : communication_order) {
    const NodeType type = table.nodes[i].type;
    if (type == NodeType::comm_coll) continue;
    Message m;
    if (read_message(table, i, m)) (type == NodeType::comm_send ? out.sends : out.recvs).push_back(m);
  }
  return out;
}

RankMessages messages_of(const NodeTable& table, const Graph& graph) {
  return messages_of(table, communication_order(table, graph));
}

void for_each_message_group(std::span<const RankMessages* const> ranks,
                            const std::function<void(const MessageGroup&)>& visit) {
  std::vector<std::size_t> begin;
  const std::vector<Received> by_source = receives_by_source(ranks, begin);
  std::vector<Key> sends, recvs, spare;
  std::vector<std::uint32_t> send_indices, recv_indices;
  for (std::size_t src = 0; src < ranks.size(); ++src) {
    sends.clear();
    recvs.clear();
    const std::vector<Message>& own = ranks[src]->sends;
    for (std::uint32_t i = 0; i < own.size(); ++i) {
      const auto dst = static_cast<Rank>(own[i].peer);
      if (dst < ranks.size()) sends.push_back({own[i].tag, dst, i});
    }
    for (std::size_t i = begin[src]; i < begin[src + 1]; ++i) {
      const Received& r = by_source[i];
      recvs.push_back({ranks[r.rank]->recvs[r.index].tag, r.rank, r.index});
    }
    sort_keys(sends, spare);
    sort_keys(recvs, spare);
    std::size_t s = 0, r = 0;
    while (s < sends.size() || r < recvs.size()) {
      const bool from_sends =
          r == recvs.size() || (s < sends.size() && (sends[s].same_group(recvs[r]) || sends[s] < recvs[r]));
      const Key group = from_sends ? sends[s] : recvs[r];
      s = take_run(sends, s, group, send_indices);
      r = take_run(recvs, r, group, recv_indices);
      visit({static_cast<Rank>(src), group.peer, group.tag, send_indices, recv_indices});
    }
  }
}

void peers_to_positions(std::span<RankMessages> messages, std::span<const Rank> ranks) {
  std::vector<std::pair<Rank, std::int32_t>> positions;
  positions.reserve(ranks.size());
  for (const Rank r : ranks) positions.emplace_back(r, static_cast<std::int32_t>(positions.size()));
  std::sort(positions.begin(), positions.end());
  const auto position = [&](std::int32_t peer) {
    const std::pair<Rank, std::int32_t> wanted(static_cast<Rank>(peer), 0);
    const auto at = std::lower_bound(positions.begin(), positions.end(), wanted);
    const bool found = at != positions.end() && at->first == wanted.first;
    return found ? at->second : std::numeric_limits<std::int32_t>::max();
  };
  for (RankMessages& of_rank : messages) {
    for (Message& m : of_rank.sends) m.peer = position(m.peer);
    for (Message& m : of_rank.recvs) m.peer = position(m.peer);
  }
}

void for_each_message_pair(std::span<const RankMessages> ranks,
                           const std::function<void(const MessagePair&)>& visit) {
  std::vector<const RankMessages*> pointers;
  for (const RankMessages& r : ranks) pointers.push_back(&r);
  for_each_message_group(pointers, [&](const MessageGroup& g) {
    for (std::size_t k = 0; k < std::min(g.sends.size(), g.recvs.size()); ++k)
      visit({g.src, g.dst, ranks[g.src].sends[g.sends[k]].node, ranks[g.dst].recvs[g.recvs[k]].node});
  });
}

}  // namespace convert
