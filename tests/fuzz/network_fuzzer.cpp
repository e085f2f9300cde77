// SPDX-License-Identifier: MIT
// Configuration: network files, graph files of NCCL, the short form of the command line, communicator groups. Also
// routes through these networks, and bounds of collectives on them.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "config/groups.h"
#include "config/nccl_graphs.h"
#include "config/network/network.h"
#include "config/network/routes.h"
#include "config/network/wire_list.h"
#include "core/diagnostic.h"
#include "fuzzer.h"
#include "simulate/networks/network.h"
#include "synthesis/bounds/report.h"
#include "trace_fuzzing.h"

namespace {

using namespace convert;

// Every NPU reaches every other one over existing links.
void check_ways(const NetworkConfig& config, std::optional<Routing> routing) {
  const auto router = make_router(config, routing);
  const auto npus = static_cast<Device>(config.npus());
  const WireGraph graph = build_wire_graph(config);
  for (Device src = 0; src < npus; ++src) {
    for (Device dst = 0; dst < npus; ++dst) {
      if (src == dst) continue;
      Position p{.at = src, .dst = dst};
      for (std::uint32_t hops = 0; p.at != dst; ++hops) {
        fuzzing::check(hops < graph.devices(), "a way ends");
        const Device from = p.at;
        const Hop hop = router->step(p);
        fuzzing::check(hop.wire < router->wires() && router->ends(hop.wire) == std::pair{from, p.at},
                       "a hop is over a link");
        fuzzing::check(graph.find_device(router->device_name(p.at)) == p.at, "devices have names");
      }
    }
  }
}

// Each NPU sends to the next, all at the same time.
void check_messages(const NetworkConfig& config, const NetworkOptions& options) {
  const auto npus = static_cast<Rank>(config.npus());
  EventQueue queue;
  const auto network = make_network(config, options, queue);
  for (Rank r = 0; r < npus; ++r) network->send(r, (r + 1) % npus, 1000, r);
  Rank arrived = 0;
  while (!queue.empty()) arrived += network->handle(queue.pop()) == no_message ? 0 : 1;
  fuzzing::check(arrived == npus, "every message arrives");
}

// Bounds are positive, and at least as large as each link of the cut requires.
void check_bounds(const NetworkConfig& config) {
  for (const Collective collective : {Collective::all_gather, Collective::reduce, Collective::scatter,
                                      Collective::all_reduce, Collective::all_to_all}) {
    Diagnostics diagnostics;
    const SynthesisProblem problem = make_problem(config, {.collective = collective, .bytes = 4096}, diagnostics);
    const Bounds bounds = find_bounds(problem);
    for (const Bound& bound : bounds.all) {
      fuzzing::check(bound.time >= 0 && (!bound.limits || bound.time <= bounds.lower), "the largest bound counts");
      for (const Crossing& c : bound.crossings) {
        std::int64_t sum = 0;
        for (const std::uint32_t l : c.links) sum += problem.graph.links[l].bandwidth;
        fuzzing::check(c.parts > 0 && sum == c.bandwidth, "a cut is as wide as its links");
      }
    }
    fuzzing::check(!bounds_text(problem, bounds).empty() && !bounds_json(problem, bounds).empty(),
                   "bounds can be printed");
  }
}

void check_network(const NetworkConfig& config) {
  if (config.ideal || config.npus() > 64 || config.graph.wires.size() > 1000) return;
  try {
    check_ways(config, std::nullopt);
    check_ways(config, Routing::shortest);
    for (const Forwarding forwarding : {Forwarding::switches, Forwarding::store, Forwarding::cut}) {
      check_messages(config, {.model = NetworkModel::wires, .forwarding = forwarding});
    }
    check_bounds(config);
  } catch (const Error& e) {  // delays beyond the range of the clock
    fuzzing::check(e.kind() == Error::Kind::input, "an error that is not about the input");
  }
}

// A written graph is read back unchanged.
void check_list(const WireGraph& graph) {
  if (graph.npus == 0 || graph.wires.size() > 1000) return;
  std::string text;
  append_wire_list(graph, text);
  const WireGraph again = parse_network_yaml("again.yml", text).graph;
  std::string twice;
  append_wire_list(again, twice);
  fuzzing::check(
      twice == text && again.wires.size() == graph.wires.size() && again.participants == graph.participants,
      "a list of links is what it was written of");
}

// Detected by content, without options and with options for NCCL's topologies.
void check_file(std::string_view text) {
  for (const char* options :
       {"", ",hosts=3,fabric=rail", ",hosts=2,fabric=leaf-spine,over=1.5,rates=nominal,ranks=dev"}) {
    try {
      const NetworkConfig config = parse_network("fuzz", text, split_file_argument(std::string("fuzz") + options));
      check_network(config);
      check_list(config.graph);
    } catch (const Error& e) {
      const bool options_refused = e.kind() == Error::Kind::usage && *options != '\0';
      fuzzing::check(e.kind() == Error::Kind::input || options_refused, "an error that is not about the input");
    }
  }
}

// Rings contain each rank of their hosts once.
void check_graphs(const std::vector<NcclGraph>& graphs) {
  for (const NcclGraph& graph : graphs) {
    if (!graph.is_ring()) continue;
    for (std::vector<std::int32_t> ring : rings_of_hosts(graph, 3)) {
      std::ranges::sort(ring);
      for (std::size_t i = 0; i < ring.size(); ++i)
        fuzzing::check(std::cmp_equal(ring[i], i), "a ring has all ranks");
    }
  }
}

}  // namespace

FUZZER(network) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_file(text);
  fuzzing::may_refuse([&] { (void)parse_groups("fuzz.groups.json", text, 8); });
  fuzzing::may_refuse([&] { check_graphs(read_nccl_graphs("fuzz.xml", std::string(text))); });
  try {
    if (is_short_network(text)) check_network(parse_short_network(text));
  } catch (const Error& e) {
    fuzzing::check(e.kind() == Error::Kind::usage, "the short form is part of the command line");
  }
  return 0;
}
