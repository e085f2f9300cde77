// SPDX-License-Identifier: MIT
#include "sets/derived/synthesis_choices.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/collective.h"
#include "core/words.h"
#include "passes/merge/fit.h"
#include "sets/derived/merge_algorithms.h"
#include "sets/schedules.h"

namespace convert {
namespace {

Schedule::Occupancy occupancy_of(const SynthesisRule& rule) {
  return rule.occupancy.value_or(Schedule::Occupancy::beta);
}
Forwarding forwarding_of(const SynthesisRule& rule) { return rule.forwarding.value_or(Forwarding::switches); }
std::string library_name(const SynthesisRule& rule) {
  return *rule.network + ' ' + std::string(name(occupancy_of(rule))) + ' ' +
         std::string(name(forwarding_of(rule))) + ' ' + join(rule.failed);
}

std::int64_t place_or_none(std::optional<std::uint32_t> place) { return place ? std::int64_t{*place} : -1; }

}  // namespace

SynthesisChoices::SynthesisChoices(std::span<const CollectiveRule> rules, FasterBuilder faster)
    : given_(rules), faster_(std::move(faster)) {
  for (const CollectiveRule& rule : rules) {
    rules_.emplace_back();
    if (rule.builtin && names_synthesis(rule.algorithm)) read(rule);
  }
}

void SynthesisChoices::read(const CollectiveRule& rule) {
  rules_.back() = at_rule(rule, "'" + rule.text + "': ", [&] {
    check_synthesized(rule.which.type);
    SynthesisRule read = parse_synthesis_rule(rule.algorithm);
    if (read.network) return read;
    throw usage_error(
        "a synthesized algorithm requires a network; add net=FILE, or a short form such as "
        "net=ring:8,bw=50GB/s,lat=500ns");
  });
  std::unique_ptr<SynthesisLibrary>& library = libraries_[library_name(*rules_.back())];
  if (library != nullptr) return;
  library = at_rule(rule, "'" + rule.text + "': ", [&] {
    return std::make_unique<SynthesisLibrary>(find_network(*rules_.back()->network), rules_.back()->failed,
                                              occupancy_of(*rules_.back()), forwarding_of(*rules_.back()), faster_);
  });
}

SynthesisChoices::Sizes SynthesisChoices::wanted_by(const NodeTable& table) const {
  Sizes sizes;
  if (libraries_.empty()) return sizes;
  for (const Node& n : table.nodes) {
    if (n.type != NodeType::comm_coll) continue;
    const auto attrs = table.attributes(n);
    const IntValue type = int_value(attrs, attr::comm_type);
    const Collective kind = collective_of(type ? type.value : -1);
    const std::int64_t bytes = int_value(attrs, attr::comm_size).value;
    const std::string_view group = group_of(table, n);
    const auto rule = std::ranges::find_if(
        given_, [&](const CollectiveRule& r) { return r.which.fits(kind, group, bytes, n.id, table.name(n)); });
    const auto i = static_cast<std::size_t>(rule - given_.begin());
    if (rule == given_.end() || !has(i) || convert::name(kind).empty()) continue;
    const IntValue root = root_of(attrs, kind);
    std::int64_t& most = sizes[{i, std::string(group), kind, root ? root.value : -1, size_class(bytes)}];
    most = std::max(most, bytes);
  }
  return sizes;
}

void SynthesisChoices::want(const Sizes& sizes) {
  for (const auto& [key, bytes] : sizes) {
    std::int64_t& most = wanted_[key];
    most = std::max(most, bytes);
  }
}

MergeAlgorithm SynthesisChoices::algorithm_for(std::size_t rule, const std::string& group,
                                               const GroupCollective& wanted, unsigned jobs,
                                               Diagnostics& diagnostics) {
  const CollectiveRule& given = given_[rule];
  const SynthesisRule& how = *rules_[rule];
  return at_rule(given, "'" + given.text + "', group " + group + ": ", [&] {
    MergeAlgorithm made = merge_algorithm_of(
        given.algorithm, libraries_.at(library_name(how))->make(wanted, how.choice, jobs), diagnostics);
    made.placed = true;
    return made;
  });
}

void SynthesisChoices::make(const MergePlan& plan, unsigned jobs, Diagnostics& diagnostics, const Add& add) {
  for (const auto& [key, bytes] : wanted_) {
    const auto& [rule, group_name, type, root, size] = key;
    const auto group = plan.groups.find(group_name);
    if (group == plan.groups.end()) continue;
    GroupCollective wanted{.collective = type, .group = group->second.ranks, .bytes = bytes};
    wanted.detours = rules_[rule]->detours;
    if (wanted.group.empty()) {
      wanted.group.resize(plan.ranks);
      std::iota(wanted.group.begin(), wanted.group.end(), Rank{0});
    }
    const auto place = group->second.place(root, plan.ranks);
    if (wanted.group.size() < 2 || (root >= 0 && !place)) continue;
    wanted.root = place.value_or(0);
    const auto members = static_cast<std::int64_t>(wanted.group.size());
    if (states_part(type) && __builtin_mul_overflow(bytes, members, &wanted.bytes)) continue;
    const Key by_place{rule, group_name, type, place_or_none(place), size};
    choices_[by_place] = add(rule, algorithm_for(rule, group_name, wanted, jobs, diagnostics));
  }
}

const MergeChoice* SynthesisChoices::find(std::size_t rule, const MergeCall& call) const {
  const auto at =
      choices_.find({rule, std::string(call.group), call.type, place_or_none(call.root), size_class(call.bytes)});
  return at == choices_.end() ? nullptr : &at->second;
}

std::size_t SynthesisChoices::made() const {
  std::size_t made = 0;
  for (const auto& [network, library] : libraries_) made += library->made();
  return made;
}

}  // namespace convert
