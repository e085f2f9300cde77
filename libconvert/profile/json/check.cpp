// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string_view>

#include "core/diagnostic.h"
#include "profile/call_mask.h"
#include "profile/grammar.h"
#include "profile/json/json.h"

namespace convert {
namespace {

class Checker {
 public:
  Checker(const WorkloadProfile& profile, const Location& where) : p_(profile), where_(where) {}

  void run() {
    if (p_.k < 1 || p_.k == no_index) bad("k", 0, "must be at least 1");
    each("classes", p_.classes, [&](const ProfileClass& c) { check_class(c); });
    each("sizes", p_.sizes, [&](const auto& pool) {
      for (const SizeCluster& s : pool) want(s.bytes >= 0 && s.count > 0, "invalid size");
      want(!pool.empty(), "a size is missing");
    });
    each("splits", p_.splits, [&](const SplitPool& pool) {
      for (const SizeCluster& size : pool.sizes) want(size.bytes >= 0 && size.count > 0, "invalid size");
      want(!pool.sizes.empty(), "a size is missing");
      for (const float spread : {pool.sent_spread, pool.received_spread})
        want(spread >= 0 && spread < most_spread, "invalid spread");
    });
    each("tokens", p_.tokens, [&](const Token& t) { check_token(t); });
    check_rules();
    each("pools", p_.pools, [&](const CostPool& pool) {
      for (const CostCluster& c : pool) {
        want(c.count > 0 && c.spread >= 0 && c.spread < most_spread, "invalid cost");
        for (const std::uint64_t x : {c.mean.duration_ns, c.mean.delay_ns, c.mean.operations, c.mean.bytes})
          want(x <= most_cost, "a cost exceeds 2^62");
      }
    });
    check_costs();
    each("together", p_.together,
         [&](float share) { want(share >= 0 && share <= 1, "a correlation is not between 0 and 1"); });
    if (p_.together.size() != symbols())
      bad("together", p_.together.size(), "a row for each token and rule is required");
    each("places", p_.places, [&](const ProfilePlace& place) { check_place(place); });
    each("rest", p_.rest, [&](const auto& pieces) { (void)check_loose(pieces); });
    each("scripts", p_.scripts, [&](const ProfileScript& s) { check_script(s); });
    each("slots", p_.slots, [&](const GroupSlot&) {});
    each("jobs", p_.jobs, [&](const ProfileJob& job) { check_job(job); });
    if (p_.jobs.empty()) bad("jobs", 0, "a job is missing");
  }

 private:
  static constexpr double most_spread = 1e6, most_factor = 1e9;
  static constexpr std::uint64_t most_cost = std::uint64_t{1} << 62U;

  template <class Rows, class Check>
  void each(std::string_view table, const Rows& rows, const Check& check) {
    table_ = table;
    row_ = 0;
    for (const auto& row : rows) {
      check(row);
      ++row_;
    }
  }
  [[noreturn]] void bad(std::string_view table, std::size_t row, std::string_view what) const {
    throw input_error(where_, std::string(table) + ", row " + std::to_string(row + 1) + ": " + std::string(what),
                      "profile");
  }
  void want(bool good, std::string_view what) const {
    if (!good) bad(table_, row_, what);
  }
  [[nodiscard]] std::size_t symbols() const { return p_.tokens.size() + p_.rules.size(); }

  void check_class(const ProfileClass& c) const {
    want(!node_type_name(c.type).empty(), "unknown node type");
    want(c.location >= -1 && c.location <= 2, "unknown tensor_loc");
    want(c.size >= 0 || c.sizes == no_index || c.sizes < p_.sizes.size(), "unknown row of sizes");
    if (!c.communicates()) return;
    want(c.splits == no_index || c.splits < p_.splits.size(), "unknown row of splits");
    want(c.splits == no_index || c.type == NodeType::comm_coll, "a message has splits");
    want(c.size >= 0 || c.sizes != no_index || c.splits != no_index, "a communication has no size");
    want(c.slot.kind == GroupSlot::all_ranks || std::ranges::find(p_.slots, c.slot) != p_.slots.end(),
         "unknown slot");
    want(std::abs(c.offset) <= static_cast<std::int64_t>(largest_rank), "the offset exceeds the largest rank");
    want(c.details.dims.find_first_not_of("01") == std::string::npos, "dimensions must consist of 0 and 1");
  }

  void check_token(const Token& t) const {
    want(t.node_class < p_.classes.size(), "unknown class");
    want(t.lane < p_.lanes.size(), "unknown lane");
    for (const TokenDep& d : t.deps) {
      want(d.what < (d.of_class ? p_.classes.size() : p_.lanes.size()), "a dependency on an unknown lane or class");
      want(d.kinds >= 1 && d.kinds <= 3, "unknown kind of dependency");
    }
  }

  void check_rules() {
    table_ = "rules";
    for (row_ = 0; row_ < p_.rules.size(); ++row_) {
      const auto [a, b] = p_.rules[row_];
      const std::size_t before = p_.tokens.size() + row_;
      want(a < before && b < before, "a rule refers to itself or to a later rule");
      const std::uint64_t length = length_of(a) + length_of(b);
      want(length <= largest_rank_nodes, "a rule expands to too many nodes");
      lengths_.push_back(length);
    }
  }
  [[nodiscard]] std::uint64_t length_of(Symbol s) const {
    return s < p_.tokens.size() ? 1 : lengths_[s - p_.tokens.size()];
  }

  void check_costs() {
    table_ = "costs";
    row_ = p_.costs.size();
    want(p_.costs.size() == symbols(), "a row for each token and rule is required");
    for (row_ = 0; row_ < p_.costs.size(); ++row_) {
      const std::vector<std::uint32_t>& costs = p_.costs[row_];
      want(costs.empty() || costs.size() == length_of(static_cast<Symbol>(row_)),
           "a pool for each node is required");
      for (const std::uint32_t pool : costs) want(pool < p_.pools.size(), "unknown pool");
    }
  }

  // Returns the number of nodes of the pieces.
  [[nodiscard]] std::uint64_t check_loose(const std::vector<LoosePiece>& pieces) const {
    std::uint64_t nodes = 0;
    for (const LoosePiece& l : pieces) {
      want(l.symbol < symbols(), "unknown piece");
      want(std::isfinite(l.position), "a piece has no valid position");
      nodes += l.count * length_of(l.symbol);
      want(nodes <= largest_rank_nodes, "too many nodes");
    }
    return nodes;
  }

  void check_place(const ProfilePlace& place) {
    std::uint64_t longest = 0;
    for (const ProfilePlace::Segment& s : place.segments) {
      want(s.symbol == no_index || s.symbol < symbols(), "unknown segment");
      if (s.symbol != no_index) longest = std::max(longest, length_of(s.symbol));
    }
    const std::uint64_t loose = check_loose(place.loose);
    want(place.loose.empty() || place.loose_segments > 0, "loose pieces have no segment");
    for (const auto& [lane, factor] : place.factors)
      want(lane < p_.lanes.size() && factor >= 0 && factor <= most_factor, "invalid factor");
    place_nodes_.push_back(std::max(longest, loose));
  }

  void check_script(const ProfileScript& s) {
    std::uint64_t nodes = s.steps.size();
    const auto add = [&](std::uint32_t place) {
      want(place == no_index || place < p_.places.size(), "unknown place");
      if (place != no_index) nodes += place_nodes_[place];
    };
    for (const ProfileScript::Step& step : s.steps) {
      add(step.place);
      want(step.token < p_.tokens.size() && p_.classes[p_.tokens[step.token].node_class].communicates(),
           "a step is not a communication");
      want(step.pool < p_.pools.size(), "unknown pool");
      for (const std::uint32_t back : step.after)
        want(back >= 1 && back <= CallMask::reach, "a dependency on a communication that is too far back");
    }
    add(s.last_place);
    want(nodes <= largest_rank_nodes, "too many nodes");
  }

  void check_job(const ProfileJob& job) const {
    const std::size_t n = job.ranks.size();
    want(n > 0, "a job has no ranks");
    want(std::ranges::adjacent_find(job.ranks, std::greater_equal<>()) == job.ranks.end() &&
             job.ranks.back() <= largest_rank,
         "ranks are not ascending");
    const std::uint64_t most = largest_rank;
    want(job.data.ranks == 0 ||
             (job.data.stride > 0 && job.data.stride <= most && job.data.count > 0 && job.data.count <= most &&
              job.data.count % job.data.ranks == 0 && n % (job.data.stride * job.data.count) == 0),
         "invalid data-parallel ranks");
    want(job.slots.size() == n && job.work_ns.size() == n, "a row for each rank is required");
    for (const auto& rest : job.rest) {
      want(rest.size() == n, "a share of the rest is required for each rank");
      for (const float r : rest) want(r >= 0 && r <= 1, "a share of the rest is not between 0 and 1");
    }
    for (const auto& slots : job.slots) {
      want(slots.size() == p_.slots.size(), "a group for each slot is required");
      for (const std::uint32_t g : slots) want(g <= job.groups.size(), "unknown group");
    }
    for (const auto& work : job.work_ns) {
      for (const double ns : work) want(std::isfinite(ns) && ns >= 0, "invalid time");
    }
    for (const std::vector<Rank>& group : job.groups) {
      want(std::ranges::all_of(group, [](Rank r) { return r <= largest_rank; }),
           "a group contains an invalid rank");
      want(std::set<Rank>(group.begin(), group.end()).size() == group.size(), "a group contains a rank twice");
    }
    for (const ProfileJob::Unit& u : job.units) check_unit(job, u);
  }

  void check_unit(const ProfileJob& job, const ProfileJob::Unit& u) const {
    want(u.part <= ProfileJob::Part::epilogue && u.count > 0 && u.count <= most_iterations,
         "invalid part of a job");
    want(u.scripts.size() == job.ranks.size(), "a script for each rank is required");
    for (std::size_t r = 0; r < u.scripts.size(); ++r) {
      if (u.scripts[r] == no_index) continue;
      want(u.scripts[r] < p_.scripts.size(), "unknown script");
      for (const ProfileScript::Step& step : p_.scripts[u.scripts[r]].steps) check_peer(job, r, step);
    }
  }

  void check_peer(const ProfileJob& job, std::size_t rank, const ProfileScript::Step& step) const {
    const ProfileClass& c = p_.classes[p_.tokens[step.token].node_class];
    if (c.type != NodeType::comm_coll) {
      const std::int64_t peer = static_cast<std::int64_t>(job.ranks[rank]) + c.offset;
      want(peer >= 0 && peer <= static_cast<std::int64_t>(largest_rank), "the peer of a message is not a rank");
    } else if (c.slot.kind != GroupSlot::all_ranks) {
      const auto slot = std::ranges::find(p_.slots, c.slot) - p_.slots.begin();
      want(job.slots[rank][static_cast<std::size_t>(slot)] > 0, "a rank calls a group that does not contain it");
    }
  }

  static constexpr std::uint32_t most_iterations = 1U << 24U;
  const WorkloadProfile& p_;
  const Location& where_;
  std::string_view table_;
  std::size_t row_ = 0;
  std::vector<std::uint64_t> lengths_;      // by rule
  std::vector<std::uint64_t> place_nodes_;  // by place: maximum number of nodes
};

}  // namespace

void check_profile(const WorkloadProfile& profile, const Location& where) { Checker(profile, where).run(); }

}  // namespace convert
