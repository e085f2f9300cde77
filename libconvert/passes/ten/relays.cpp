// SPDX-License-Identifier: MIT
#include "passes/ten/relays.h"

#include <algorithm>
#include <vector>

namespace convert {
namespace {

// Returns for each node whether it is an idle relay.
std::vector<bool> idle_relays(const Schedule& s) {
  std::vector<bool> idle(s.nodes);
  for (const std::uint32_t r : s.relays) idle[r] = true;
  for (const Schedule::Transfer& t : s.transfers) idle[t.src] = idle[t.dst] = false;
  for (const std::uint32_t n : s.members) idle[n] = false;
  return idle;
}

}  // namespace

bool has_idle_relays(const Schedule& schedule) {
  const std::vector<bool> idle = idle_relays(schedule);
  return std::ranges::find(idle, true) != idle.end();
}

Schedule without_idle_relays(const Schedule& schedule) {
  const std::vector<bool> idle = idle_relays(schedule);
  Schedule out = schedule;
  std::vector<std::uint32_t> number(schedule.nodes);
  out.nodes = 0;
  for (std::uint32_t n = 0; n < schedule.nodes; ++n) {
    number[n] = out.nodes;
    if (!idle[n]) ++out.nodes;
  }
  std::erase_if(out.relays, [&](std::uint32_t r) { return idle[r]; });
  const std::uint32_t removed = schedule.nodes - out.nodes;
  for (std::uint32_t d = schedule.nodes; d < devices(schedule); ++d) number.push_back(d - removed);
  std::vector<bool> gone = idle;
  gone.resize(devices(schedule));
  std::erase_if(out.wires, [&](const Schedule::Wire& l) { return gone[l.src] || gone[l.dst]; });
  for (std::uint32_t& r : out.relays) r = number[r];
  for (std::uint32_t& n : out.members) n = number[n];
  for (Schedule::Wire& l : out.wires) {
    l.src = number[l.src];
    l.dst = number[l.dst];
  }
  for (Schedule::Transfer& t : out.transfers) {
    t.src = number[t.src];
    t.dst = number[t.dst];
  }
  for (Schedule::Hop& h : out.hops) h.to = number[h.to];
  return out;
}

}  // namespace convert
