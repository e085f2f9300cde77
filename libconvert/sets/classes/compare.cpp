// SPDX-License-Identifier: MIT
#include "sets/classes/compare.h"

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/diagnostic.h"
#include "formats/chakra/stream.h"
#include "sets/classes/stand_ins.h"
#include "util/parallel.h"

namespace convert {
namespace {

// Returns the place of each rank. Throws Error(input) if a rank is repeated.
std::unordered_map<Rank, StandIns::Place> places_of(const StandIns& stand_ins, const MasterSet& set,
                                                    const std::string& name) {
  std::unordered_map<Rank, StandIns::Place> out;
  for (std::uint64_t i = 0; i < set.ranks(); ++i) {
    const StandIns::Place place = stand_ins.place(i);
    if (out.emplace(stand_ins.rank(place), place).second) continue;
    throw input_error({.file = name}, "rank " + std::to_string(stand_ins.rank(place)) + " is repeated");
  }
  return out;
}

std::string bytes_of(const Trace& trace) {
  std::string out;
  ChakraEncoder().nodes(trace.nodes, out);
  return out;
}

class ClassComparison {
 public:
  ClassComparison(const MasterSet& a, const std::string& name_a, const MasterSet& b, const std::string& name_b,
                  const DiffWishes& wishes)
      : set_a_(a), set_b_(b), name_a_(name_a), name_b_(name_b), a_(a, name_a), b_(b, name_b), wishes_(wishes) {}

  Difference run(unsigned jobs) {
    find_pairs();
    Difference all;
    all.ranks_only_a = only_a_;
    for_each_ordered(
        jobs, pairs_.size(),
        [&](std::size_t i) { return pairs_[i].as == nullptr ? compare(pairs_[i]) : *pairs_[i].as; },
        [&](std::size_t, Difference&& d) { all.append(std::move(d)); });
    all.ranks_only_b = std::move(only_b_);
    return all;
  }

 private:
  using Place = StandIns::Place;
  struct Pair {
    Place a, b;
    const Difference* as = nullptr;  // result of equal ranks of the same classes
  };
  // Two classes with a pair of ranks, one of each, that are equal.
  struct SameClasses {
    Difference difference;
    std::set<std::pair<std::string, std::string>> groups;  // groups of matching nodes of the representatives
    std::set<std::pair<std::uint64_t, std::uint64_t>> peers;
  };

  void find_pairs() {
    auto in_b = places_of(b_, set_b_, name_b_);
    (void)places_of(a_, set_a_, name_a_);
    Partners partners(wishes_);
    for (std::uint64_t i = 0; i < set_a_.ranks(); ++i) {
      const Place a = a_.place(i);
      const auto b = in_b.find(partners.in_b(a_.rank(a)));
      if (b == in_b.end()) {
        only_a_.push_back(a_.rank(a));
        continue;
      }
      pairs_.push_back({a, b->second});
      pairs_.back().as = known(pairs_.back());
      in_b.erase(b);
    }
    for (std::uint64_t i = 0; i < set_b_.ranks(); ++i) {
      const Rank rank = b_.rank(b_.place(i));
      if (in_b.contains(rank)) only_b_.push_back(rank);
    }
  }

  // Returns the difference of the two ranks if their classes are known to be equal and the ranks are, too.
  const Difference* known(const Pair& p) {
    const auto [at, added] = known_.try_emplace({p.a.stand_in, p.b.stand_in});
    if (added) at->second = same_classes(p);
    if (!at->second) return nullptr;
    for (const auto& [a, b] : at->second->groups) {
      if (wishes_.group_in_b(a_.group(p.a, a)) != b_.group(p.b, b)) return nullptr;
    }
    for (const auto& [a, b] : at->second->peers) {
      if (in_b(a_.peer(p.a, a)) != b_.peer(p.b, b)) return nullptr;
    }
    return &at->second->difference;
  }

  std::optional<SameClasses> same_classes(const Pair& p) {
    const Trace of_a = a_.read(p.a.stand_in), of_b = b_.read(p.b.stand_in);
    if (of_a.nodes.nodes.size() != of_b.nodes.nodes.size()) return std::nullopt;
    Trace a = of_a, b = of_b;
    a_.become(p.a, a);
    b_.become(p.b, b);
    if (bytes_of(a) != bytes_of(b)) return std::nullopt;
    SameClasses out{.difference = compare_traces(a, b, wishes_), .groups = {}, .peers = {}};
    if (!wishes_.ranks.empty() && !out.difference.same()) return std::nullopt;
    for (std::size_t i = 0; i < of_a.nodes.nodes.size(); ++i) {
      const auto x = of_a.nodes.attributes(of_a.nodes.nodes[i]), y = of_b.nodes.attributes(of_b.nodes.nodes[i]);
      const auto group = string_value(of_a.nodes, x, attr::pg_name),
                 other = string_value(of_b.nodes, y, attr::pg_name);
      if (group && other) out.groups.emplace(*group, *other);
      for (const Name name : {attr::comm_src, attr::comm_dst}) {
        const Attr *const peer = find(x, name), *const its = find(y, name);
        if (peer != nullptr && its != nullptr) out.peers.emplace(peer->bits, its->bits);
      }
    }
    return out;
  }

  [[nodiscard]] std::uint64_t in_b(std::uint64_t peer) const {
    return peer > largest_rank ? peer : wishes_.in_b(static_cast<Rank>(peer));
  }

  [[nodiscard]] Difference compare(const Pair& p) const {
    Trace a = a_.read(p.a.stand_in), b = b_.read(p.b.stand_in);
    a_.become(p.a, a);
    b_.become(p.b, b);
    return compare_traces(a, b, wishes_);
  }

  const MasterSet &set_a_, &set_b_;
  const std::string &name_a_, &name_b_;
  const StandIns a_, b_;
  const DiffWishes& wishes_;
  std::vector<Pair> pairs_;
  std::vector<Rank> only_a_, only_b_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::optional<SameClasses>> known_;  // by representatives
};

}  // namespace

Difference compare_by_classes(const MasterSet& a, const std::string& name_a, const MasterSet& b,
                              const std::string& name_b, const DiffWishes& wishes, unsigned jobs) {
  return ClassComparison(a, name_a, b, name_b, wishes).run(jobs);
}

}  // namespace convert
