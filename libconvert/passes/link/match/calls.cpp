// SPDX-License-Identifier: MIT
#include "passes/link/match/calls.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "passes/link/match/matching.h"

namespace convert {
namespace {

void by_thread(Calls& calls, std::size_t threads) {
  calls.by_thread.resize(threads);
  for (std::uint32_t i = 0; i < calls.all.size(); ++i) calls.by_thread[calls.all[i].thread].push_back(i);
}

// Returns the events by start; if several begin together, the longest, which is the caller, comes first.
std::vector<std::uint32_t> events_by_start(const Profile& device) {
  const auto& events = device.cpu_ops;
  std::vector<std::uint32_t> order(events.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (events[a].start_ns != events[b].start_ns) return events[a].start_ns < events[b].start_ns;
    return events[a].duration_ns > events[b].duration_ns;
  };
  if (!std::is_sorted(order.begin(), order.end(), before)) std::stable_sort(order.begin(), order.end(), before);
  return order;
}

}  // namespace

BothCalls both_calls(const Trace& host, const HostOperators& operators, const Profile& device,
                     const Matching& matching) {
  BothCalls out;
  std::unordered_map<std::string_view, std::uint32_t> names;
  const auto number = [&](std::string_view name) {
    return names.try_emplace(name, static_cast<std::uint32_t>(names.size())).first->second;
  };
  std::vector<std::uint32_t> position(device.cpu_ops.size());
  out.events.all.reserve(device.cpu_ops.size());
  for (const std::uint32_t e : events_by_start(device)) {
    const Profile::CpuOp& event = device.cpu_ops[e];
    position[e] = static_cast<std::uint32_t>(out.events.all.size());
    out.events.all.push_back({.sequence = event.sequence,
                              .start_ns = event.start_ns,
                              .index = e,
                              .thread = event.thread,
                              .name = number(device.name(event)),
                              .backward = event.forward_thread > 0,
                              .open = !(matching.ids_hold && event.rf_id > 0)});
  }
  for (const std::uint32_t h : operators.by_id) {
    const HostOperators::Facts& facts = operators.of_node[h];
    if (facts.structure) continue;
    const auto at = static_cast<std::uint32_t>(out.hosts.all.size());
    out.hosts.all.push_back({.sequence = facts.sequence,
                             .index = h,
                             .thread = facts.thread,
                             .name = number(host.nodes.name(host.nodes.nodes[h])),
                             .backward = facts.backward});
    if (matching.event_of[h] != no_index) out.pair(at, position[matching.event_of[h]]);
  }
  out.names = static_cast<std::uint32_t>(names.size());
  by_thread(out.hosts, operators.tids.size());
  by_thread(out.events, device.threads.size());
  return out;
}

}  // namespace convert
