// SPDX-License-Identifier: MIT
#include "synthesis/problem.h"

#include <algorithm>
#include <numeric>

namespace convert {
namespace {

std::string npu_text(Device d) { return "NPU " + std::to_string(d); }

void set_participants(SynthesisProblem& p, const SynthesisRequest& request) {
  if (request.group) {
    p.participants.assign(request.group->begin(), request.group->end());
  } else if (!p.wires.participants.empty()) {
    p.participants = p.wires.participants;
  } else {
    p.participants.resize(p.wires.npus);
    std::iota(p.participants.begin(), p.participants.end(), Device{0});
  }
  if (p.participants.empty()) throw usage_error("the group is empty");
  p.takes_part.assign(p.wires.devices(), 0);
  for (const Device d : p.participants) {
    if (d >= p.wires.npus)
      throw usage_error("the group contains " + npu_text(d) + "; the network has " + counted(p.wires.npus, "NPU"));
    p.takes_part[d] = 1;
  }
  p.root = request.root.value_or(p.participants.front());
  if (has_root(p.collective) && (p.root >= p.wires.npus || p.takes_part[p.root] == 0))
    throw usage_error("the root, " + npu_text(p.root) + ", does not take part");
}

void set_sizes(SynthesisProblem& p, const SynthesisRequest& request, Diagnostics& diagnostics) {
  p.bytes = p.shard_bytes = request.bytes;
  if (p.collective == Collective::broadcast || p.collective == Collective::reduce) return;
  const std::int64_t n = p.size();
  p.shard_bytes = request.bytes / n + (request.bytes % n != 0 ? 1 : 0);
  if (p.shard_bytes > INT64_MAX / n) throw usage_error("the size is too large for " + counted(p.size(), "NPU"));
  p.bytes = p.shard_bytes * n;
  if (p.bytes == request.bytes) return;
  diagnostics.warning({.file = p.source}, "sizes",
                      "size " + std::to_string(request.bytes) + " is not a multiple of the " +
                          counted(p.size(), "NPU") + "; rounded up to " + std::to_string(p.bytes));
}

WireGraph used_wires(const WireGraph& wires, const SynthesisRequest& request) {
  const auto avoid = find_links(wires, request.avoid, "--avoid");
  const auto only = find_links(wires, request.only, "--only");
  WireGraph used = wires;
  std::erase_if(used.wires, [&](const GraphWire& w) {
    const std::pair ends{w.from, w.to};
    return std::ranges::binary_search(avoid, ends) || (!only.empty() && !std::ranges::binary_search(only, ends));
  });
  return used;
}

void check_ways(const SynthesisProblem& p, bool all_used) {
  const auto missing = [&](Device from, Device to) {
    return input_error({.file = p.source}, "there is no route from " + p.wires.device_name(from) + " to " +
                                               p.wires.device_name(to) +
                                               (p.others_pass_on ? "" : " through participating NPUs") +
                                               (all_used ? "" : " over the permitted links"));
  };
  const Device hub = has_root(p.collective) ? p.root : p.participants.front();
  if (!has_root(p.collective) || comes_from_root(p.collective)) {
    const std::vector<std::uint8_t> reached = reached_from(p.graph, hub);
    for (const Device d : p.participants) {
      if (reached[d] == 0) throw missing(hub, d);
    }
  }
  if (!comes_from_root(p.collective)) {
    const std::vector<std::uint8_t> reached = reached_from(reversed(p.graph), hub);
    for (const Device d : p.participants) {
      if (reached[d] == 0) throw missing(d, hub);
    }
  }
}

}  // namespace

bool can_synthesize(Collective c) {
  return c == Collective::all_reduce || c == Collective::all_gather || c == Collective::reduce_scatter ||
         c == Collective::all_to_all || has_root(c);
}

SynthesisProblem make_problem(const NetworkConfig& network, const SynthesisRequest& request,
                              Diagnostics& diagnostics) {
  if (network.ideal) throw usage_error("the network is ideal and has no links; give a network with links");
  SynthesisProblem p{.source = network.source, .wires = build_wire_graph(network)};
  erase_failed_wires(p.wires, request.failed);
  p.collective = without_block(request.collective);
  p.occupancy = request.occupancy;
  p.forwarding = request.forwarding;
  p.others_pass_on = !request.group_only;
  set_participants(p, request);
  set_sizes(p, request, diagnostics);
  std::vector<std::uint8_t> left_out(p.wires.devices(), 0);
  for (Device d = 0; d < p.wires.npus; ++d)
    left_out[d] = static_cast<std::uint8_t>(request.group_only && p.takes_part[d] == 0 ? 1 : 0);
  p.graph = make_link_graph(used_wires(p.wires, request), p.source, left_out);
  check_ways(p, request.avoid.empty() && request.only.empty());
  if (p.forwarding != Forwarding::store && p.wires.switches != 0) {
    p.cuts.assign(p.wires.devices(), 1);
    std::fill_n(p.cuts.begin(), p.wires.npus, std::uint8_t{0});
  }
  return p;
}

SynthesisProblem stored(SynthesisProblem problem) {
  problem.forwarding = Forwarding::store;
  problem.cuts.clear();
  return problem;
}

}  // namespace convert
