// SPDX-License-Identifier: MIT
#include "simulate/engine/collective_list.h"

#include <algorithm>
#include <tuple>

namespace convert {

std::vector<CollectiveResult> list_collectives(const ReplayProgram& program,
                                               const std::vector<CalledCollective>& called) {
  std::vector<const CalledCollective*> in_order;
  for (const CalledCollective& c : called) in_order.push_back(&c);
  std::stable_sort(in_order.begin(), in_order.end(), [](const CalledCollective* a, const CalledCollective* b) {
    return std::tie(a->run.begin, a->run.first_npu, a->run.first_op) <
           std::tie(b->run.begin, b->run.first_npu, b->run.first_op);
  });
  std::vector<CollectiveResult> list;
  for (const CalledCollective* c : in_order) {
    const CollectiveRun& run = c->run;
    const SystemGroup& group = program.groups[program.plans[run.plan].call.group];
    list.push_back({.group = group.id,
                    .number = run.number,
                    .plan = run.plan,
                    .npus = group.size(program.model),
                    .first_npu = run.first_npu,
                    .first_node = program.ranks[run.first_npu].code->id(run.first_op),
                    .begin_ps = run.begin,
                    .last_begin_ps = run.last_begin,
                    .end_ps = c->ended ? std::optional(run.end) : std::nullopt,
                    .exposed_mean_ps = c->exposed_mean_ps,
                    .exposed_max_ps = c->exposed_max_ps,
                    .alike = c->alike});
  }
  return list;
}

}  // namespace convert
