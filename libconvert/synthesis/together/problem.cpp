// SPDX-License-Identifier: MIT
#include "synthesis/together/problem.h"

#include <map>
#include <numeric>
#include <utility>

#include "core/algorithm/chunk_bytes.h"

namespace convert {
namespace {

SynthesisProblem placed_of(const SynthesisProblem& named, const std::vector<Device>& device) {
  std::vector<Device> place(device.size());
  for (Device d = 0; d < device.size(); ++d) place[device[d]] = d;
  SynthesisProblem out = named;
  const std::uint32_t n = named.size();
  out.wires.npus = n;
  out.wires.switches = static_cast<std::uint32_t>(device.size()) - n;
  out.wires.switch_names.clear();
  out.wires.participants.clear();
  for (GraphWire& w : out.wires.wires) {
    w.from = place[w.from];
    w.to = place[w.to];
  }
  LinkGraph& graph = out.graph;
  graph.npus = n;
  for (LinkGraph::Link& l : graph.links) {
    l.from = place[l.from];
    l.to = place[l.to];
  }
  graph.out = rows_by_key(graph.links.size(), graph.devices, [&](std::size_t l) { return graph.links[l].from; });
  graph.in = rows_by_key(graph.links.size(), graph.devices, [&](std::size_t l) { return graph.links[l].to; });
  std::iota(out.participants.begin(), out.participants.end(), Device{0});
  out.takes_part.assign(graph.devices, 0);
  for (const Device d : out.participants) out.takes_part[d] = 1;
  out.root = has_root(named.collective) ? place[named.root] : 0;
  return out;
}

}  // namespace

JointProblem make_joint_problem(std::vector<SynthesisProblem> problems,
                                const std::vector<std::vector<Device>>& order) {
  JointProblem out{.named = std::move(problems)};
  for (const SynthesisProblem& p : out.named) {
    std::vector<Device>& device =
        out.device.emplace_back(order.empty() ? p.participants : order[out.device.size()]);
    std::vector<std::uint8_t> has_number(p.graph.devices, 0);
    for (const Device d : device) has_number[d] = 1;
    for (Device d = 0; d < p.graph.devices; ++d) {
      if (has_number[d] == 0) device.push_back(d);
    }
    out.placed.push_back(placed_of(p, device));
  }
  return out;
}

void set_chunk_sizes(const SynthesisProblem& problem, std::vector<Piece>& pieces) {
  if (problem.size() < 2) return;  // nothing moves
  const bool whole = problem.collective == Collective::all_reduce || problem.collective == Collective::broadcast ||
                     problem.collective == Collective::reduce;
  const bool by_pair = problem.collective == Collective::all_to_all;
  const auto key = [&](const Piece& p) {
    const bool one = whole || has_root(problem.collective);
    return std::pair(one ? Device{0} : p.owner, by_pair ? p.other : Device{0});
  };
  std::map<std::pair<Device, Device>, std::int32_t> count, next;
  for (const Piece& p : pieces) ++count[key(p)];
  for (Piece& p : pieces) {
    std::int64_t of = count[key(p)];
    std::int64_t bytes = whole ? problem.bytes : problem.shard_bytes;
    if (!whole && has_root(problem.collective)) of /= std::int64_t{problem.size()} - 1;
    p.bytes = bytes_of_run(bytes, {.first = next[key(p)]++, .count = 1}, static_cast<std::int32_t>(of));
  }
}

}  // namespace convert
