// SPDX-License-Identifier: MIT
// Speed of the replay event loop: CPU ns per message and per hop, memory, on about two million messages.
// Usage: bench_replay [NPUS [CASE [MODEL]]]
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/measure.h"
#include "bench/table.h"
#include "simulate/engine/replay.h"

namespace {

using namespace convert;

void add_message(NodeTable& t, NodeId id, NodeType type, std::int64_t peer, std::int64_t bytes, std::int64_t tag) {
  t.add_node(id, type, "n");
  t.add_int(type == NodeType::comm_send ? attr::comm_dst : attr::comm_src, Kind::int32_val, peer);
  t.add_int(attr::comm_size, Kind::int64_val, bytes);
  t.add_int(attr::comm_tag, Kind::int32_val, tag);
}

// Each step: send to the next, receive from the previous, reduce; a step waits for the one before.
void make_ring(Trace& trace, std::int64_t npus, bool equal_sizes) {
  const auto rank = static_cast<std::int64_t>(trace.rank);
  NodeId id = 0;
  for (std::int64_t step = 0; step < 2 * (npus - 1); ++step) {
    const auto bytes_from = [&](std::int64_t r) {
      return equal_sizes ? 65'536 : 10'000 + (r * 7919 + step * 104'729) % 50'000;
    };
    add_message(trace.nodes, id++, NodeType::comm_send, (rank + 1) % npus, bytes_from(rank), step);
    if (step != 0) trace.nodes.add_data_dep(id - 2);
    trace.nodes.end_node();
    add_message(trace.nodes, id++, NodeType::comm_recv, (rank + npus - 1) % npus,
                bytes_from((rank + npus - 1) % npus), step);
    if (step != 0) trace.nodes.add_data_dep(id - 3);
    trace.nodes.end_node();
    trace.nodes.add_node(id++, NodeType::comp, "n");
    trace.nodes.add_data_dep(id - 2);
    trace.nodes.end_node();
  }
}

// Everyone to everyone at once, twice.
void make_direct(Trace& trace, std::int64_t npus) {
  const auto rank = static_cast<std::int64_t>(trace.rank);
  NodeId id = 0;
  for (std::int64_t round = 0; round < 2; ++round) {
    const NodeId begin = id;
    for (const NodeType type : {NodeType::comm_send, NodeType::comm_recv}) {
      for (std::int64_t k = 1; k < npus; ++k) {
        add_message(trace.nodes, id++, type,
                    type == NodeType::comm_send ? (rank + k) % npus : (rank + npus - k) % npus, 65'536, round);
        if (round != 0) trace.nodes.add_data_dep(begin - 1);
        trace.nodes.end_node();
      }
    }
    trace.nodes.add_node(id++, NodeType::comp, "n");
    for (NodeId p = begin; p + 1 < id; ++p) trace.nodes.add_data_dep(p);
    trace.nodes.end_node();
  }
}

enum class Pattern { ring, uneven_ring, direct };

ReplayProgram compile(Pattern pattern, Rank npus, const std::string& network) {
  Diagnostics diagnostics;
  ReplayBuilder builder(parse_short_network(network), {}, diagnostics);
  for (Rank r = 0; r < npus; ++r) {
    Trace trace;
    trace.rank = r;
    if (pattern == Pattern::direct) {
      make_direct(trace, npus);
    } else {
      make_ring(trace, npus, pattern == Pattern::ring);
    }
    builder.add(trace);
  }
  auto program = builder.finish();
  for (const Diagnostic& d : diagnostics.all()) std::fprintf(stderr, "%s\n", format_diagnostic(d).c_str());
  if (!program) std::exit(1);
  return std::move(*program);
}

void measure(const char* label, ReplayProgram& program, NetworkModel model, double hops_per_message) {
  program.options.network.model = model;
  program.options.symmetry = false;
  Picoseconds total = 0;
  std::uint64_t messages = 0;
  const double best_s = bench::best_seconds([&] {
    const ReplayResult result = replay(program);
    if (result.status != ReplayStatus::complete || (total != 0 && result.total_ps != total)) std::exit(1);
    total = result.total_ps;
    messages = 0;
    for (const NpuResult& n : result.npus) messages += n.sends;
  });
  const double per_message_ns = best_s * 1e9 / static_cast<double>(messages);
  const bool by_hop = model != NetworkModel::unaware;
  bench::print_row("replay " + std::string(name(model)) + ", " + label,
                   static_cast<double>(messages) * (by_hop ? hops_per_message : 1), by_hop ? "hop" : "message",
                   by_hop ? per_message_ns / hops_per_message : per_message_ns, 0, 0, by_hop ? "250 ns" : "200 ns");
}

}  // namespace

int main(int argc, char** argv) {
  const auto npus = static_cast<Rank>(argc > 1 ? std::atoi(argv[1]) : 1024);
  const std::string count = std::to_string(npus);
  bench::print_head();
  struct Case {
    const char* label;
    Pattern pattern;
    std::string network;
    double hops;
  };
  const std::array<Case, 4> cases = {
      {{"ring", Pattern::ring, "ring:" + count + ",bw=50GB/s,lat=500ns", 1},
       {"uneven ring", Pattern::uneven_ring, "ring:" + count + ",bw=50GB/s,lat=500ns", 1},
       {"direct, switch", Pattern::direct, "switch:" + count + ",bw=50GB/s,lat=500ns", 2},
       {"direct, connected", Pattern::direct, "fully_connected:" + count + ",bw=50GB/s,lat=500ns", 1}}};
  for (const Case& c : cases) {
    if (argc > 2 && std::string(argv[2]) != c.label) continue;
    ReplayProgram program = compile(c.pattern, npus, c.network);
    for (const NetworkModel model : {NetworkModel::unaware, NetworkModel::aware, NetworkModel::wires}) {
      if (argc > 3 && argv[3] != name(model)) continue;
      measure(c.label, program, model, model == NetworkModel::unaware ? 1 : c.hops);
    }
    if (argc > 3) continue;
    const auto nodes = static_cast<double>(program.ops);
    program = {};
    const bench::Memory memory = bench::memory_of([&] { return compile(c.pattern, npus, c.network); },
                                                  [](ReplayProgram& p) { (void)replay(p); });
    bench::print_row(std::string("memory of the replay, ") + c.label + ", bytes/node", nodes, "node", 0, 0,
                     memory.peak * 1048576 / nodes, "");
  }
}
