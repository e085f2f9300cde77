// SPDX-License-Identifier: MIT
#include "profile/learn/classes.h"

#include <algorithm>
#include <limits>

namespace convert {
ClassTable::ClassTable(std::span<const JobLog> jobs, const GroupSlots& slots, std::uint32_t k) : k_(k) {
  number_plain(jobs);
  count_calls(jobs, slots);
  count_splits(jobs);
  sizes_.settle(k);
  make_splits();
  number_calls(jobs);
  cut_tails(jobs);
  find_long(jobs);
}

ProfileClass ClassTable::shared_part(ProfileClass c) {
  if (c.type == NodeType::comm_recv) {
    c.type = NodeType::comm_send;
    c.offset = -c.offset;
  }
  c.slot.ordinal = 0;
  c.details.root = -1;
  return c;
}

std::uint32_t ClassTable::add_class(const ProfileClass& c) {
  classes_.push_back(c);
  return static_cast<std::uint32_t>(classes_.size() - 1);
}

void ClassTable::number_plain(std::span<const JobLog> jobs) {
  std::map<Named, Spread> names;
  std::size_t rank = 0;
  std::uint32_t iterations = 0;
  for (const JobLog& job : jobs) {
    iterations = std::max(iterations, job.order.iterations);
    for (const auto& [named, use] : job.uses) {
      const std::size_t only = use.rank == no_index ? no_index : rank + use.rank;
      const auto [at, is_new] = names.try_emplace(named, Spread{.rank = only, .part = use.part});
      Spread& s = at->second;
      if (s.rank != only) s.rank = no_index;
      if (s.part != use.part) s.part = no_index;
      s.total.nodes += use.nodes;
      s.total.time_ns += use.time_ns;
    }
    rank += job.ranks.size();
  }
  std::map<Named, Total> common;
  std::map<Named, Named> common_of;
  const auto add = [&](const Named& to, const Total& what) {
    Total& t = common[to];
    t.nodes += what.nodes;
    t.time_ns += what.time_ns;
  };
  for (const auto& [named, spread] : names) {
    std::string name = named.second;
    if (spread.rank != no_index && rank > 1 && spread.part == no_index) {
      name = without_numbers(name);
    } else if (spread.part != no_index && iterations > 1) {
      name = without_iteration(name);
      if (spread.rank != no_index && rank > 1) name = without_numbers(name);
    }
    const Named to(named.first, std::move(name));
    add(to, spread.total);
    common_of.emplace(named, to);
  }
  // Rare names become the empty name.
  std::map<Named, Total> rare;
  for (const auto& [named, total] : common) {
    if (total.nodes < k_) rare.emplace(named, total);
  }
  for (const auto& [named, total] : rare) {
    common.erase(named);
    add({named.first, {}}, total);
  }
  std::vector<std::map<Named, Total>::iterator> order;
  for (auto at = common.begin(); at != common.end(); ++at) {
    if (at->second.nodes >= k_) order.push_back(at);
  }
  std::ranges::stable_sort(order, std::greater<>(), [](const auto& at) { return at->second.time_ns; });
  for (const auto& at : order) at->second.number = add_class(at->first.first);
  for (const auto& [named, to] : common_of) {
    auto at = common.find(to);
    if (at == common.end()) at = common.find({to.first, {}});
    if (at->second.number == no_index) left_out_ += names.at(named).total.nodes;
    plain_[named.second].emplace_back(named.first, at->second.number);
  }
}

std::uint32_t ClassTable::plain(const ProfileClass& plain_class, std::string_view name) const {
  const auto at = plain_.find(name);
  if (at == plain_.end()) return no_index;
  for (const auto& [c, number] : at->second) {
    if (c == plain_class) return number;
  }
  return no_index;
}

void ClassTable::count_calls(std::span<const JobLog> jobs, const GroupSlots& slots) {
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    auto& of_job = kind_classes_.emplace_back();
    for (std::size_t r = 0; r < jobs[j].ranks.size(); ++r) {
      auto& of_rank = of_job.emplace_back();
      const RankLog& log = jobs[j].ranks[r];
      for (const CallFacts& facts : log.kinds) {
        ProfileClass c = facts.node_class;
        if (c.type == NodeType::comm_coll) {
          c.slot = slots.slot(j, r, facts.group);
          if (facts.root >= 0) c.details.root = slots.place_in(j, facts.group, facts.root);
        } else {
          c.offset = facts.peer - static_cast<std::int64_t>(log.rank);
        }
        if (facts.parts > 0 && facts.parts == slots.members(j, facts.group)) {
          c = without_size(c);
          c.splits = 0;  // count_splits() sets the kind
        }
        of_rank.push_back(c);
      }
    }
  }
  hide_rare_roots(jobs);
  for (std::size_t j = 0; j < jobs.size(); ++j) count_sizes(jobs[j], kind_classes_[j]);
}

// Replaces a root that fewer than k nodes have by the most frequent root of the same collective in groups of the
// same shape; removes it if no root is frequent.
void ClassTable::hide_rare_roots(std::span<const JobLog> jobs) {
  using Key = std::pair<std::int32_t, std::uint32_t>;  // collective, kind of the slot
  std::map<Key, std::map<std::int64_t, std::uint64_t>> nodes;
  const auto key_of = [](const ProfileClass& c) { return Key(c.collective, c.slot.kind); };
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    for (std::size_t r = 0; r < jobs[j].ranks.size(); ++r) {
      for (const RankLog::Call& call : jobs[j].ranks[r].calls) {
        const ProfileClass& c = kind_classes_[j][r][call.kind];
        if (c.details.root >= 0) ++nodes[key_of(c)][c.details.root];
      }
    }
  }
  for (auto& of_job : kind_classes_) {
    for (auto& of_rank : of_job) {
      for (ProfileClass& c : of_rank) {
        if (c.details.root < 0) continue;
        const auto& roots = nodes.at(key_of(c));
        if (roots.at(c.details.root) >= k_) continue;
        const auto most = std::ranges::max_element(roots, {}, [](const auto& of) { return of.second; });
        c.details.root = most->second >= k_ ? most->first : -1;
      }
    }
  }
}

// If the order has a cycle, it is unknown which calls match. The number of calls is then at least the largest
// number on one rank.
void ClassTable::count_sizes(const JobLog& job, const std::vector<std::vector<ProfileClass>>& kinds) {
  const CommOrder& order = job.order;
  std::vector<bool> met(order.vertices, false);
  std::map<ProfileClass, std::uint64_t> counted;
  for (std::size_t r = 0; r < kinds.size(); ++r) {
    const RankLog& log = job.ranks[r];
    std::vector<std::pair<std::uint64_t, std::uint64_t>> own(kinds[r].size());  // by kind: calls, nodes
    for (std::size_t c = 0; c < log.calls.size(); ++c) {
      auto& [calls, nodes] = own[log.calls[c].kind];
      ++nodes;
      if (!order.circular && met[order.places[r][c]]) continue;
      if (!order.circular) met[order.places[r][c]] = true;
      ++calls;
    }
    std::map<ProfileClass, std::pair<std::uint64_t, std::uint64_t>> of_classes;
    for (std::size_t kind = 0; kind < own.size(); ++kind) {
      if (kinds[r][kind].splits != no_index) continue;
      auto& [calls, nodes] = of_classes[shared_part(kinds[r][kind])];
      calls += own[kind].first;
      nodes += own[kind].second;
    }
    for (const auto& [shared, number] : of_classes) {
      const auto& [calls, nodes] = number;
      std::uint64_t& known = counted[shared];
      const std::uint64_t more = order.circular ? calls - std::min(calls, known) : calls;
      sizes_.add(shared, more, nodes);
      known += more;
    }
  }
}

std::uint32_t ClassTable::number_of(const ProfileClass& call) {
  const auto [number, is_new] = call_numbers_.try_emplace(call, no_index);
  if (is_new) number->second = add_class(call);
  return number->second;
}

std::uint32_t ClassTable::number_call(const ProfileClass& c) {
  const ProfileClass shared = shared_part(c);
  if (c.splits != no_index) {
    const auto pool = split_pools_.find(shared);
    if (pool == split_pools_.end()) return no_index;
    ProfileClass with_pool = c;
    with_pool.splits = pool->second;
    return number_of(with_pool);
  }
  if (sizes_.told(shared)) return number_of(c);
  ProfileClass drawn = without_size(c);
  drawn.sizes = sizes_.pool(shared);
  return drawn.sizes == no_index ? no_index : number_of(drawn);
}

void ClassTable::number_calls(std::span<const JobLog> jobs) {
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    auto& of_job = calls_.emplace_back();
    for (std::size_t r = 0; r < jobs[j].ranks.size(); ++r) {
      std::vector<std::uint32_t> number(kind_classes_[j][r].size(), no_index);
      std::vector<bool> met(number.size(), false);
      auto& of_rank = of_job.emplace_back();
      for (const RankLog::Call& call : jobs[j].ranks[r].calls) {
        if (!met[call.kind]) number[call.kind] = number_call(kind_classes_[j][r][call.kind]);
        met[call.kind] = true;
        of_rank.push_back(number[call.kind]);
        if (of_rank.back() == no_index) ++left_out_;
      }
    }
  }
  kind_classes_ = {};
}

std::vector<std::uint32_t> ClassTable::messages() const {
  std::map<ProfileClass, std::uint32_t> first;
  std::vector<std::uint32_t> out;
  for (std::uint32_t c = 0; c < classes_.size(); ++c) {
    const bool message = classes_[c].communicates() && classes_[c].type != NodeType::comm_coll;
    out.push_back(message ? first.try_emplace(shared_part(classes_[c]), c).first->second : c);
  }
  return out;
}

void ClassTable::cut_tails(std::span<const JobLog> jobs) {
  const auto type_of = [](const ProfileClass& c) { return std::pair(c.type, c.on_cpu); };
  std::map<std::pair<NodeType, bool>, LargestCosts> largest;
  for (const JobLog& job : jobs) {
    for (const auto& [named, use] : job.uses) largest[type_of(named.first)].add(use.largest, k_);
    for (const RankLog& rank : job.ranks) {
      for (const RankLog::Call& call : rank.calls) largest[type_of(rank.facts(call).node_class)].add(call.cost, k_);
    }
  }
  for (const ProfileClass& c : classes_) most_.push_back(largest.at(type_of(c)).kth(k_));
}

void ClassTable::find_long(std::span<const JobLog> jobs) {
  constexpr double means = 8, share = 0.002;
  std::vector<Total> totals(classes_.size());
  double work = 0, iterations = 0;
  for (const JobLog& job : jobs) {
    iterations += static_cast<double>(job.order.iterations) * static_cast<double>(job.ranks.size());
    for (const auto& [named, use] : job.uses) {
      work += use.time_ns;
      const std::uint32_t c = plain(named.first, named.second);
      if (c == no_index) continue;
      totals[c].nodes += use.nodes;
      totals[c].time_ns += use.time_ns;
    }
  }
  for (const Total& t : totals) {
    const double least = iterations > 0 ? share * work / iterations : 0;
    const bool known = t.nodes > 0;  // times of communications are stored by place
    long_ns_.push_back(known ? std::max(least, means * t.time_ns / static_cast<double>(t.nodes))
                             : std::numeric_limits<double>::infinity());
  }
}

}  // namespace convert
