// SPDX-License-Identifier: MIT
#include "passes/verify/deadlock.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace convert {
namespace {

constexpr std::size_t max_cycle = 32;  // printed chains of a deadlock cycle

// Describes the wait of a blocked chain.
std::string blocked_text(const StepGraph& p, const Blocked& b) {
  using Why = Blocked::Why;
  std::string who = p.describe(b.step);
  switch (b.why) {
    case Why::dependency: return who + " waits for " + p.describe(b.other);
    case Why::never_published:
      return who +
             " waits for a step that never publishes its completion: neither it nor a later step of its "
             "threadblock has hasdep=1";
    case Why::empty_connection:
      return b.other == no_index ? who + " has no peer to receive from"
                                 : who + " waits for a message on " + connection_text(p, p.connections[b.other]);
    case Why::full_connection: return who + " waits for room on " + connection_text(p, p.connections[b.other]);
  }
  return who;
}

}  // namespace

// Follows the waits from one blocked chain until a chain repeats, which closes the cycle.
Diagnostic explain_deadlock(const StepGraph& graph, const Execution& execution) {
  std::vector<std::uint32_t> at(graph.chains.size(), no_index);  // the blocked step of each blocked chain
  for (const Blocked& b : execution.blocked) at[b.chain] = b.step;
  const auto pending = [&](const std::vector<std::uint32_t>& steps, std::uint32_t begin, std::uint32_t count) {
    for (std::uint32_t k = begin; k < begin + count; ++k) {
      const std::uint32_t blocked_at = at[chain_of(graph, steps[k])];
      if (blocked_at != no_index && steps[k] >= blocked_at) return steps[k];
    }
    return no_index;
  };
  const auto awaited = [&](const Blocked& b) {
    using Why = Blocked::Why;
    if (b.why == Why::dependency) return b.other;
    if (b.why == Why::never_published || b.other == no_index) return no_index;
    const Connection& c = graph.connections[b.other];
    return b.why == Why::empty_connection ? pending(graph.send_steps, c.send_begin, c.sends)
                                          : pending(graph.recv_steps, c.recv_begin, c.recvs);
  };
  std::vector<std::uint32_t> index_of(graph.chains.size(), no_index);
  for (std::uint32_t i = 0; i < execution.blocked.size(); ++i) index_of[execution.blocked[i].chain] = i;

  std::vector<std::string> notes;
  std::vector<std::uint32_t> path;
  std::vector<std::uint32_t> position(execution.blocked.size(), no_index);
  std::uint32_t i = 0;
  for (;;) {
    if (position[i] != no_index) {
      path.erase(path.begin(), path.begin() + position[i]);
      break;
    }
    position[i] = static_cast<std::uint32_t>(path.size());
    path.push_back(i);
    const std::uint32_t next = awaited(execution.blocked[i]);
    const std::uint32_t chain = next == no_index ? no_index : chain_of(graph, next);
    if (chain == no_index || index_of[chain] == no_index) break;  // ends at an event that never comes
    i = index_of[chain];
  }
  for (std::size_t k = 0; k < std::min(path.size(), max_cycle); ++k)
    notes.push_back(blocked_text(graph, execution.blocked[path[k]]));
  if (path.size() > max_cycle) notes.push_back("… " + std::to_string(path.size() - max_cycle) + " more");
  return {Severity::error, graph.locate(execution.blocked[path[0]].step), "deadlock",
          "deadlock: " + std::to_string(execution.blocked.size()) +
              (graph.from_traces ? " chains of steps never finish" : " threadblocks never finish") +
              (path.size() > 1 ? "; they wait for each other in a cycle" : ""),
          std::move(notes)};
}

}  // namespace convert
