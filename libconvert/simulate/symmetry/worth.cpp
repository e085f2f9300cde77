// SPDX-License-Identifier: MIT
#include "simulate/symmetry/worth.h"

#include <cstdint>
#include <vector>

#include "simulate/rings/whole_rings.h"

namespace convert {
namespace {

// Approximate number of events per member of a collective.
struct PlanEvents {
  double by_message = 0;
  double whole = 0;
};

PlanEvents events_of(const CollectivePlan& plan) {
  constexpr double of_message = 2;
  constexpr double of_ring = 3;
  constexpr double of_round = 0.01;  // computed without events
  PlanEvents events;
  for (std::uint64_t chunk = 0; !plan.orders.empty() && chunk < plan.chunks; ++chunk) {
    for (const PhasePlan& p : plan.phases(chunk)) {
      const auto steps = static_cast<double>(p.steps);
      events.by_message += steps * of_message;
      events.whole += of_ring + steps * of_round;
    }
  }
  return events;
}

}  // namespace

bool whole_rings_need_less(const ReplayProgram& program, const Equivalence& equivalence) {
  if (!can_run_whole_rings(program)) return false;
  std::vector<PlanEvents> plans;
  for (const CollectivePlan& plan : program.plans) plans.push_back(events_of(plan));
  PlanEvents all;
  for (Rank r = 0; r < program.ranks.size(); ++r) {
    if (equivalence.ranks.representative(r) != r) continue;
    const RankProgram& rank = program.ranks[r];
    const auto nodes = static_cast<double>(rank.code->ops.size());
    all.by_message += nodes;
    all.whole += nodes;
    for (const Op& op : rank.code->ops) {
      if (op.type != OpType::collective) continue;
      const PlanEvents& events = plans[rank.plans[op.channel]];
      all.by_message += events.by_message;
      all.whole += events.whole;
    }
  }
  const double alike = static_cast<double>(program.ranks.size()) / static_cast<double>(equivalence.ranks.classes());
  constexpr double worth_it = 4;  // representatives need less memory
  return all.whole * alike * worth_it < all.by_message;
}

}  // namespace convert
