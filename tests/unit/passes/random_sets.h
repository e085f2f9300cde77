// SPDX-License-Identifier: MIT
// Random small sets whose ranks may wait for each other, and whether their replay completes.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "config/groups.h"
#include "config/network/network.h"
#include "passes/validate.h"
#include "simulate/engine/replay.h"
#include "simulate/system/default_system.h"
#include "trace_builder.h"

namespace convert::test {

// A node without its id.
struct Planned {
  NodeType type = NodeType::comp;
  Rank peer = 0;
  std::int64_t tag = 0;
  std::int64_t bytes = 0;
  Collective collective{};
  std::string group{};
  std::uint64_t duration_us = 0;
  std::vector<std::size_t> parents{};  // indices in the rank
};
using PlannedRank = std::vector<Planned>;

struct PlannedSet {
  std::vector<PlannedRank> ranks;
  GroupLists groups;
};

class RandomSets {
 public:
  // `matching`: each message has its own tag, and all collectives are equal, so that there is only one partner.
  explicit RandomSets(std::uint32_t seed, bool matching = false) : random_(seed), matching_(matching) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  // Messages and collectives at random positions of the ranks, each node after some of the preceding ones.
  PlannedSet next() {
    PlannedSet set;
    const std::size_t n = 2 + below(3);
    set.ranks.resize(n);
    set.groups["1"] = {0, 1};
    if (n > 2) set.groups["2"] = {static_cast<Rank>(n - 1), 1};
    for (std::size_t m = below(6); m > 0; --m) add_message(set);
    for (std::size_t c = below(4); c > 0; --c) add_collective(set);
    for (PlannedRank& rank : set.ranks) {
      for (std::size_t c = below(3); c > 0; --c) put(rank, {.duration_us = below(50)});
      const std::size_t dense = 1 + below(4);
      for (std::size_t i = 0; i < rank.size(); ++i) {
        for (std::size_t p = 0; p < i; ++p) {
          if (below(dense + 1) != 0) rank[i].parents.push_back(p);
        }
      }
    }
    return set;
  }

  // Ids in a random order: without dependencies the lower one starts first.
  std::vector<TraceBuilder> traces(const PlannedSet& set, bool shuffled) {
    std::vector<TraceBuilder> out;
    for (Rank r = 0; r < set.ranks.size(); ++r) {
      const PlannedRank& rank = set.ranks[r];
      std::vector<NodeId> ids(rank.size());
      std::iota(ids.begin(), ids.end(), NodeId{0});
      if (shuffled) std::shuffle(ids.begin(), ids.end(), random_);
      TraceBuilder b(r);
      for (std::size_t i = 0; i < rank.size(); ++i) {
        std::vector<NodeId> parents;
        for (const std::size_t p : rank[i].parents) parents.push_back(ids[p]);
        add(b, ids[i], rank[i], parents);
      }
      out.push_back(std::move(b));
    }
    return out;
  }

 private:
  static void add(TraceBuilder& b, NodeId id, const Planned& p, const std::vector<NodeId>& parents) {
    switch (p.type) {
      case NodeType::comm_send: b.send(id, p.peer, p.tag, p.bytes, parents); break;
      case NodeType::comm_recv: b.recv(id, p.peer, p.tag, p.bytes, parents); break;
      case NodeType::comm_coll: b.collective(id, p.collective, p.bytes, p.group, parents); break;
      default: b.comp(id, parents); break;
    }
    b.table().nodes.back().duration_us = p.duration_us;
  }
  void put(PlannedRank& rank, const Planned& node) {
    rank.insert(rank.begin() + static_cast<std::ptrdiff_t>(below(rank.size() + 1)), node);
  }
  void add_message(PlannedSet& set) {
    const auto from = static_cast<Rank>(below(set.ranks.size()));
    const auto to = static_cast<Rank>((from + 1 + below(set.ranks.size() - 1)) % set.ranks.size());
    const auto tag = matching_ ? next_tag_++ : static_cast<std::int64_t>(below(2));
    const std::int64_t bytes = below(8) == 0 ? 32 : 64;
    put(set.ranks[from], {.type = NodeType::comm_send, .peer = to, .tag = tag, .bytes = bytes});
    put(set.ranks[to], {.type = NodeType::comm_recv, .peer = from, .tag = tag, .bytes = bytes});
  }
  void add_collective(PlannedSet& set) {
    constexpr Collective types[] = {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                                    Collective::all_to_all};
    const Collective type = types[matching_ ? 0 : below(4)];
    const std::int64_t bytes = !matching_ && below(3) == 0 ? static_cast<std::int64_t>(1 + below(3)) : 64;
    std::string group = std::to_string(below(set.groups.size() + 1));
    if (group == "0") group.clear();
    std::vector<Rank> members(set.ranks.size());
    std::iota(members.begin(), members.end(), Rank{0});
    if (!group.empty()) members = set.groups[group];
    for (const Rank r : members)
      put(set.ranks[r], {.type = NodeType::comm_coll, .bytes = bytes, .collective = type, .group = group});
  }

  std::mt19937 random_;
  bool matching_;
  std::int64_t next_tag_ = 0;
};

struct How {
  std::string network;  // "ring", "switch"
  NetworkModel model = NetworkModel::unaware;
  IssueMode issue = IssueMode::workload;
  bool astra = false;
  bool rendezvous = false;
};

// Returns whether all nodes run; false also if the set is rejected.
inline bool ends(std::vector<TraceBuilder>& set, const GroupLists& groups, const How& how) {
  const std::string size = how.network == "torus" ? "2x2" : std::to_string(set.size());
  const NetworkConfig network = parse_short_network(how.network + ":" + size + ",bw=1GB/s,lat=10ns");
  auto system = std::make_shared<ReplaySystem>();
  system->config = default_system(network);
  for (const auto& [name, ranks] : groups) system->groups.push_back({.id = std::stoll(name), .ranks = ranks});
  system->rendezvous = how.rendezvous;
  ReplayOptions options;
  options.network.model = how.model;
  options.issue = how.issue;
  options.astra = how.astra;
  options.system = system;
  Diagnostics diagnostics;
  ReplayBuilder builder(network, options, diagnostics);
  for (TraceBuilder& b : set) builder.add(b.trace());
  const auto program = builder.finish();
  return program && replay(*program).status != ReplayStatus::deadlock;
}

}  // namespace convert::test
