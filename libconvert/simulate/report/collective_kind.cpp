// SPDX-License-Identifier: MIT
#include "simulate/report/collective_kind.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "config/collective_rules.h"
#include "config/system.h"
#include "core/attr_names.h"
#include "core/world_size.h"
#include "simulate/program/program.h"
#include "simulate/report/bound.h"

namespace convert {
namespace {

// Returns a phase for each dimension that takes part, ascending.
std::map<std::uint32_t, const PhasePlan*> phases_by_dim(const CollectivePlan& plan) {
  std::map<std::uint32_t, const PhasePlan*> by_dim;
  if (plan.orders.empty()) return by_dim;
  for (const PhasePlan& p : plan.orders.front()) by_dim.emplace(p.dim, &p);
  return by_dim;
}

CollectiveKind kind_of(const ReplayProgram& program, const CollectivePlan& plan) {
  CollectiveKind kind{.op = plan.call.op, .chunks = plan.chunks};
  const auto by_dim = phases_by_dim(plan);
  std::uint32_t npus = 1;
  for (const auto& [dim, phase] : by_dim) {
    npus *= phase->members;
    if (!kind.algorithm.empty()) kind.algorithm += '+';
    kind.algorithm += name(phase->algorithm);
  }
  // Trees and stars have no name for -a.
  if (parse_native_algorithm(kind.algorithm.substr(0, kind.algorithm.find('+'))))
    kind.algorithm.insert(0, native_prefix);
  if (plan.call.custom != 0) {
    const CustomAlgorithm& algorithm = program.customs[plan.call.custom - 1];
    kind.algorithm = algorithm.parts                ? "direct"
                     : is_builtin(algorithm.source) ? algorithm.source.substr(builtin_prefix.size())
                                                    : "custom:" + algorithm.source;
  }
  if (plan.on_machine) {
    const CallOnMachine& call = *plan.on_machine;
    kind.algorithm = name(call.cost.algorithm, call.nodes);
    kind.source = name(call.cost.source);
    kind.error_pct = call.cost.error_pct;
  }
  const std::uint32_t group = program.groups[plan.call.group].size(program.model);
  kind.npus = by_dim.empty() ? group : std::min(npus, group);
  kind.size_bytes = larger_buffer(program.model, plan.call, kind.npus);
  return kind;
}

// Returns the NPUs in the collective of the first member.
std::vector<Rank> members_of(const ReplayProgram& program, const CollectivePlan& plan, std::uint32_t npus) {
  const SystemGroup& group = program.groups[plan.call.group];
  if (npus == group.size(program.model) && !group.ranks.empty()) return group.ranks;
  std::vector<Rank> members;
  if (npus == group.size(program.model)) {
    for (Rank r = 0; r < npus; ++r) members.push_back(r);
    return members;
  }
  members.push_back(0);
  for (const auto& [dim, phase] : phases_by_dim(plan)) {
    const std::size_t before = members.size();
    for (std::uint32_t place = 1; place < phase->members; ++place) {
      for (std::size_t i = 0; i < before; ++i) members.push_back(members[i] + place * phase->stride);
    }
  }
  return members;
}

}  // namespace

std::optional<CollectiveKind> algorithm_kind(const Metadata& metadata, std::int64_t size_bytes) {
  const AttrTable& table = metadata.table;
  const auto text = string_value(table, table.attrs, attr::collective);
  const auto op = text ? parse_collective(*text, in_algorithms) : std::nullopt;
  const auto ranks = world_size(metadata);
  if (!op || !ranks || size_bytes <= 0) return std::nullopt;
  return CollectiveKind{.op = *op, .size_bytes = size_bytes, .npus = static_cast<std::uint32_t>(*ranks)};
}

std::vector<CollectiveKind> collective_kinds(const ReplayProgram& program, bool bounds) {
  std::vector<CollectiveKind> kinds;
  for (const CollectivePlan& plan : program.plans) kinds.push_back(kind_of(program, plan));
  if (kinds.empty() || program.network.ideal || !bounds) return kinds;
  const NetworkReach network(program.network, program.options.network);
  using Key = std::tuple<std::uint32_t, std::vector<std::uint32_t>, std::uint32_t, Ways>;
  std::map<Key, GroupReach> known;  // by group, dimensions, root
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const CollectivePlan& plan = program.plans[i];
    CollectiveKind& kind = kinds[i];
    if (kind.npus < 2 || plan.chunks == 0) continue;
    const bool all_to_all = plan.call.custom != 0 && program.customs[plan.call.custom - 1].parts;
    if (all_to_all || plan.call.parts != 0) continue;  // the bound is for equal shards
    const Ways ways = ways_of(kind.op);
    Key key{plan.call.group, {}, ways == Ways::all ? 0 : plan.call.root, ways};
    for (const auto& [dim, phase] : phases_by_dim(plan)) std::get<1>(key).push_back(dim);
    auto at = known.find(key);
    if (at == known.end()) {
      const auto reach = network.of(members_of(program, plan, kind.npus), std::get<2>(key), ways);
      at = known.emplace(std::move(key), reach.value_or(GroupReach{})).first;
    }
    kind.bound_ps = lower_bound(kind.op, kind.size_bytes, kind.npus, at->second);
  }
  return kinds;
}

}  // namespace convert
