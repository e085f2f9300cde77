// SPDX-License-Identifier: MIT
// Random graphs that are valid across ranks.
//
// All ranks draw the same sequence of steps: a collective of all ranks, a message from every rank to the rank at
// some distance, or a computation. Dependencies lead only to earlier steps. A collective follows the previous
// collective and all messages that the rank has sent so far. So ranks cannot wait for each other in a cycle, even
// if a collective that waits for other ranks blocks messages from being sent, as on ASTRA-sim's NPUs. Durations,
// omissions and other dependencies are drawn for each rank separately.
#include <algorithm>
#include <string>

#include "generate/kinds.h"
#include "util/draw.h"

namespace convert::generate {
namespace {

constexpr std::uint64_t all_ranks = ~std::uint64_t{0};
constexpr std::size_t window = 16;  // latest nodes, the candidates for dependencies

TraceBuilder::Parents parents(Draw& draw, const std::vector<NodeId>& latest) {
  TraceBuilder::Parents chosen;
  if (latest.empty()) return chosen;
  const std::uint64_t wanted = draw.below(4);
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const NodeId id = latest[draw.below(latest.size())];
    if (std::ranges::find(chosen, id) == chosen.end()) chosen.push_back(id);
  }
  return chosen;
}

}  // namespace

void make_random(const GenerateRequest& r, TraceBuilder& b) {
  const std::uint64_t compute_ns = r.compute_ns.value_or(10'000);
  const std::int64_t most_bytes = r.size.value_or(65536);
  std::vector<GeneratedCollective> comm = r.comm;
  if (comm.empty()) comm = {{Collective::all_reduce, 65536}};
  const Rank rank = b.trace().rank;
  std::vector<NodeId> latest;
  TraceBuilder::Parents before;  // dependencies of a collective: the last collective, and messages sent since
  const auto remember = [&](NodeId id) {
    if (latest.size() == window) latest.erase(latest.begin());
    latest.push_back(id);
  };
  for (std::int64_t step = 0; step < r.count.value_or(64); ++step) {
    Draw common(r.seed.value_or(1), static_cast<std::uint64_t>(step), all_ranks);
    Draw own(r.seed.value_or(1), static_cast<std::uint64_t>(step), rank);
    const std::uint64_t what = common.below(10);
    if (what < 2) {
      TraceBuilder::Parents after = parents(own, latest);
      std::erase_if(after, [&](NodeId id) { return std::ranges::find(before, id) != before.end(); });
      after.insert(after.end(), before.begin(), before.end());
      before = {add_collective(b, comm[common.below(comm.size())], after)};
      remember(before[0]);
    } else if (what < 4 && r.ranks > 1) {
      const auto distance = static_cast<Rank>(1 + common.below(r.ranks - 1));
      const auto bytes = static_cast<std::int64_t>(1 + common.below(static_cast<std::uint64_t>(most_bytes)));
      const std::uint64_t to = (std::uint64_t{rank} + distance) % r.ranks;
      const std::uint64_t from = (std::uint64_t{rank} + r.ranks - distance) % r.ranks;
      const NodeId sent = b.send(static_cast<Rank>(to), bytes, step, parents(own, latest));
      const NodeId received = b.receive(static_cast<Rank>(from), bytes, step, parents(own, latest));
      before.push_back(sent);
      remember(sent);
      remember(received);
    } else if (step == 0 || own.below(4) != 0) {
      const TraceBuilder::Parents after = parents(own, latest);
      remember(b.compute("comp" + std::to_string(step), own.below(2 * compute_ns + 1), after));
    }
  }
}

}  // namespace convert::generate
