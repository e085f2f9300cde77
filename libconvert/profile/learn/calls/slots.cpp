// SPDX-License-Identifier: MIT
#include "profile/learn/calls/slots.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace convert {
namespace {

// Sort key: numeric names by value, then other names as texts.
std::tuple<bool, std::size_t, std::string> name_order(const std::string& name) {
  const bool number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  return {!number, number ? name.size() : 0, name};
}

bool by_name(const std::string& a, const std::string& b) { return name_order(a) < name_order(b); }

}  // namespace

GroupSlots::GroupSlots(std::span<const JobLog> jobs) : logs_(jobs) {
  for (const JobLog& log : jobs) add(log);
}

void GroupSlots::add(const JobLog& log) {
  Job& job = jobs_.emplace_back();
  const auto kind_of = [&](const Shape& shape) {
    return kinds_.try_emplace(shape, static_cast<std::uint32_t>(kinds_.size()) + 1).first->second;
  };
  for (const RankLog& rank : log.ranks) {
    for (const CallFacts& kind : rank.kinds) {
      const std::string& name = kind.group;
      if (kind.node_class.type != NodeType::comm_coll || name.empty() || job.groups.contains(name)) continue;
      const auto known = log.groups.find(name);
      Shape shape;
      if (known != log.groups.end()) {
        for (const Rank r : known->second) shape.push_back(r - known->second.front());
      }
      job.groups[name] = {kind_of(shape), known == log.groups.end() ? nullptr : &known->second};
    }
  }
  find_slots(log, job);
}

void GroupSlots::find_slots(const JobLog& log, Job& job) {
  for (const RankLog& rank : log.ranks) {
    std::vector<std::string> used;  // in order of first use
    std::set<std::string> met;
    for (const CallFacts& kind : rank.kinds) {  // in order of first use
      const std::string& name = kind.group;
      if (!name.empty() && met.insert(name).second) used.push_back(name);
    }
    // Groups with unknown members are identified by the order of their first use.
    std::ranges::stable_sort(used, [&](const std::string& a, const std::string& b) {
      const bool known_a = job.groups[a].members != nullptr, known_b = job.groups[b].members != nullptr;
      return known_a && known_b ? by_name(a, b) : known_a && !known_b;
    });
    std::map<std::uint32_t, std::uint32_t> of_kind;
    auto& slots = job.slots.emplace_back();
    for (const std::string& name : used) {
      const std::uint32_t kind = job.groups[name].kind;
      slots[name] = {kind, of_kind[kind]++};
    }
  }
}

GroupSlot GroupSlots::slot(std::size_t job, std::size_t rank, const std::string& group) const {
  return group.empty() ? GroupSlot{} : jobs_[job].slots[rank].at(group);
}

std::int64_t GroupSlots::place_in(std::size_t job, const std::string& group, std::int64_t rank) const {
  if (group.empty()) return rank;
  const std::vector<Rank>* const members = jobs_[job].groups.at(group).members;
  if (members == nullptr) return -1;
  const auto at = std::ranges::find(*members, static_cast<Rank>(rank));
  return at == members->end() ? -1 : at - members->begin();
}

std::size_t GroupSlots::members(std::size_t job, const std::string& group) const {
  if (group.empty()) return logs_[job].ranks.size();
  const std::vector<Rank>* const members = jobs_[job].groups.at(group).members;
  return members == nullptr ? 0 : members->size();
}

void GroupSlots::write(WorkloadProfile& profile) const {
  std::set<GroupSlot> slots;
  for (const Job& job : jobs_) {
    for (const auto& rank : job.slots) {
      for (const auto& [name, slot] : rank) slots.insert(slot);
    }
  }
  profile.slots.assign(slots.begin(), slots.end());
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    const Job& job = jobs_[j];
    ProfileJob& out = profile.jobs[j];
    std::vector<std::string> names;
    for (const auto& [name, group] : job.groups) names.push_back(name);
    const auto key = [&](const std::string& name) {
      const Group& g = job.groups.at(name);
      return std::tuple(g.kind, g.members == nullptr ? Rank{0} : g.members->front(), name_order(name));
    };
    std::ranges::sort(names, {}, key);
    std::map<std::string, std::uint32_t> number;
    for (const std::string& name : names) {
      number.emplace(name, static_cast<std::uint32_t>(number.size()) + 1);
      const std::vector<Rank>* const members = job.groups.at(name).members;
      out.groups.push_back(members == nullptr ? std::vector<Rank>() : *members);
    }
    for (const auto& rank : job.slots) {
      std::vector<std::uint32_t>& own = out.slots.emplace_back(profile.slots.size(), 0);
      for (const auto& [name, slot] : rank) {
        const auto at = std::ranges::lower_bound(profile.slots, slot);
        own[static_cast<std::size_t>(at - profile.slots.begin())] = number.at(name);
      }
    }
  }
}

}  // namespace convert
