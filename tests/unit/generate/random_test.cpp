// SPDX-License-Identifier: MIT
// Random sets complete on an NPU with one slot for its sends and collectives, for any durations. This test is
// independent of the library's own replay.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <tuple>

#include "core/attr_names.h"
#include "generate/generate.h"
#include "sanitized.h"

namespace convert {
namespace {

constexpr std::uint64_t seeds = test::rounds(200U);

// The nodes of all ranks and their dependencies: nodes of their rank, and for a receive also its send.
class Ranks {
 public:
  struct Node {
    Rank rank = 0;
    NodeType type = NodeType::invalid;
    std::vector<std::size_t> parents{};
  };

  explicit Ranks(const GenerateRequest& request) : collectives_(request.ranks) {
    using Message = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // from, to, tag
    std::map<Message, std::size_t> sends;
    std::vector<std::pair<Message, std::size_t>> receives;
    const MakeTrace make = trace_generator(request);
    for (Rank rank = 0; rank < request.ranks; ++rank) {
      const Trace t = make(rank);
      const std::size_t first = nodes_.size();
      for (const convert::Node& n : t.nodes.nodes) {
        const auto attributes = t.nodes.attributes(n);
        Node node{.rank = rank, .type = n.type};
        for (const NodeId id : t.nodes.data_deps(n)) node.parents.push_back(first + id);
        const auto value = [&](Name name) { return int_value(find(attributes, name)).value; };
        const Message message = {value(attr::comm_src), value(attr::comm_dst), value(attr::comm_tag)};
        if (n.type == NodeType::comm_send) sends[message] = nodes_.size();
        if (n.type == NodeType::comm_recv) receives.emplace_back(message, nodes_.size());
        if (n.type == NodeType::comm_coll) collectives_[rank].push_back(nodes_.size());
        has_groups_ = has_groups_ || find(attributes, attr::pg_name) != nullptr;
        nodes_.push_back(std::move(node));
      }
    }
    for (const auto& [message, receive] : receives) nodes_[receive].parents.push_back(sends.at(message));
  }

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  // By rank.
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& collectives() const { return collectives_; }
  [[nodiscard]] bool has_groups() const { return has_groups_; }

  // All nodes that end before `node` begins.
  [[nodiscard]] std::vector<bool> before(std::size_t node) const {
    std::vector<bool> found(nodes_.size());
    std::vector<std::size_t> left = {node};
    while (!left.empty()) {
      const std::size_t n = left.back();
      left.pop_back();
      for (const std::size_t parent : nodes_[n].parents) {
        if (!found[parent]) left.push_back(parent);
        found[parent] = true;
      }
    }
    return found;
  }

 private:
  std::vector<Node> nodes_;
  std::vector<std::vector<std::size_t>> collectives_;
  bool has_groups_ = false;
};

GenerateRequest request_of(std::uint64_t seed, Rank ranks) {
  GenerateRequest r{.kind = "random", .ranks = ranks};
  r.seed = seed;
  return r;
}

// Each dependency of a rank's call of a collective has left the slot of every rank before that rank's call takes
// it.
TEST(RandomSets, ACollectiveHoldsNothingBackThatItWaitsFor) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Rank count = seed % 3 == 0 ? 3 : 8;
    const Ranks ranks(request_of(seed, count));
    for (std::size_t k = 0; k < ranks.collectives()[0].size(); ++k) {
      std::vector<std::vector<bool>> before;
      for (Rank r = 0; r < count; ++r) {
        ASSERT_EQ(ranks.collectives()[r].size(), ranks.collectives()[0].size());
        before.push_back(ranks.before(ranks.collectives()[r][k]));
        if (k != 0) {
          EXPECT_TRUE(before[r][ranks.collectives()[r][k - 1]]) << "they follow each other";
        }
      }
      for (std::size_t n = 0; n < ranks.nodes().size(); ++n) {
        const Ranks::Node& node = ranks.nodes()[n];
        if (node.type != NodeType::comm_send) continue;
        const bool wanted = std::any_of(before.begin(), before.end(), [&](const auto& b) { return b[n]; });
        ASSERT_TRUE(!wanted || before[node.rank][n])
            << "seed " << seed << ": rank " << node.rank << " may call collective " << k << " before a send";
      }
    }
  }
}

// ASTRA-sim numbers the chunks of all collectives of an NPU, and the collectives of all ranks are matched by this
// number. This works as long as every rank has run the same collectives before; collectives of groups would break
// it.
TEST(RandomSets, HaveNoCollectivesOfSomeRanks) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Ranks ranks(request_of(seed, 8));
    EXPECT_FALSE(ranks.has_groups());
    for (const auto& of_rank : ranks.collectives()) EXPECT_EQ(of_rank.size(), ranks.collectives()[0].size());
  }
}

// ASTRA-sim's order of issue. At the start and at each end of a node of an NPU, its ready nodes are offered in
// ascending order of id. Sends and collectives require the one slot for them, computation requires the compute
// slot.
class Npus {
 public:
  Npus(const Ranks& ranks, std::uint64_t seed)
      : ranks_(ranks),
        random_(seed),
        free_(ranks.collectives().size()),
        busy_(free_.size()),
        called_(free_.size()) {
    for (std::size_t n = 0; n < ranks.nodes().size(); ++n) {
      waits_for_.push_back(ranks.nodes()[n].parents.size());
      for (const std::size_t parent : ranks.nodes()[n].parents) children_.emplace(parent, n);
      if (waits_for_[n] == 0) free_[ranks.nodes()[n].rank].insert(n);
    }
  }

  // Number of nodes that have run when no more events happen.
  std::size_t run() {
    for (Rank r = 0; r < free_.size(); ++r) issue(r);
    std::size_t ended = 0;
    for (; !events_.empty(); ++ended) {
      const auto [time, node] = events_.top();
      events_.pop();
      now_ = time;
      end(node);
    }
    return ended;
  }

 private:
  static std::size_t slot(NodeType type) {
    return type == NodeType::comp ? 1 : type == NodeType::comm_recv ? 2 : 0;
  }

  void issue(Rank rank) {
    for (auto n = free_[rank].begin(); n != free_[rank].end();) {
      const NodeType type = ranks_.nodes()[*n].type;
      bool& busy = busy_[rank][slot(type)];
      if (busy) {
        ++n;
        continue;
      }
      busy = slot(type) != 2;
      if (type == NodeType::comm_coll) {
        call(rank);
      } else {
        events_.emplace(now_ + random_() % 1000, *n);
      }
      n = free_[rank].erase(n);
    }
  }
  // A receive's message has arrived when the receive is ready; a collective ends when the last rank has called it.
  void call(Rank rank) {
    const std::size_t k = called_[rank]++;
    if (*std::min_element(called_.begin(), called_.end()) <= k) return;
    for (const auto& of_rank : ranks_.collectives()) events_.emplace(now_ + random_() % 1000, of_rank[k]);
  }
  void end(std::size_t node) {
    const Rank rank = ranks_.nodes()[node].rank;
    busy_[rank][slot(ranks_.nodes()[node].type)] = false;
    std::set<Rank> to_issue = {rank};
    for (auto [c, last] = children_.equal_range(node); c != last; ++c) {
      if (--waits_for_[c->second] != 0) continue;
      free_[ranks_.nodes()[c->second].rank].insert(c->second);
      to_issue.insert(ranks_.nodes()[c->second].rank);
    }
    for (const Rank r : to_issue) issue(r);
  }

  using Event = std::pair<std::uint64_t, std::size_t>;  // time, node that ends
  const Ranks& ranks_;
  std::mt19937_64 random_;
  std::vector<std::set<std::size_t>> free_;  // by rank
  std::vector<std::array<bool, 3>> busy_;    // by rank and slot
  std::vector<std::size_t> called_;          // by rank: collectives
  std::vector<std::size_t> waits_for_;       // by node
  std::multimap<std::size_t, std::size_t> children_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t now_ = 0;
};

TEST(RandomSets, EndWithOneSlotForCommunication) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Ranks ranks(request_of(seed, seed % 3 == 0 ? 3 : 8));
    for (const std::uint64_t times : {1U, 2U, 3U})
      ASSERT_EQ(Npus(ranks, seed * 10 + times).run(), ranks.nodes().size()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace convert
