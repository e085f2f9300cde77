// SPDX-License-Identifier: MIT
// Speed of the replay event loop with every rank simulated, compared with a heap of as many events: CPU ns per
// message or hop for about two million messages, the time to resolve them before, memory, and the growth of time
// with the ranks of a training step.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "bench/events.h"
#include "bench/report.h"
#include "bench/scratch.h"
#include "config/workload/workload.h"
#include "formats/master/master.h"
#include "generate/trace_builder.h"
#include "generate/workload/workload.h"
#include "io/output.h"
#include "scenario/inputs.h"
#include "sets/source.h"
#include "simulate/engine/replay.h"
#include "simulate/program/link.h"

namespace {

using namespace convert;

void add_message(NodeTable& t, NodeId id, NodeType type, std::int64_t peer, std::int64_t bytes, std::int64_t tag) {
  t.add_node(id, type, "n");
  t.add_int(type == NodeType::comm_send ? attr::comm_dst : attr::comm_src, Kind::int32_val, peer);
  t.add_int(attr::comm_size, Kind::int64_val, bytes);
  t.add_int(attr::comm_tag, Kind::int32_val, tag);
}

// Each step: send to the next, receive from the previous, reduce; a step waits for the preceding one.
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

// Each NPU sends to all others at once, twice.
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

void make_all_to_all(Trace& trace, std::int64_t npus) {
  TraceBuilder b(trace.rank);
  (void)b.collective(Collective::all_to_all, npus << 16U, {});
  trace = b.finish();
}

// A communication of all ranks, on a network; hops are per message.
struct Pattern {
  const char* label;
  void (*make)(Trace&, std::int64_t npus);
  const char* topology;
  double hops;
  double message_limit;  // ns
  double under_way;      // number at once, of all messages
  IssueMode issue = IssueMode::algorithm;
};

const Pattern patterns[] = {
    {"ring", [](Trace& t, std::int64_t npus) { make_ring(t, npus, true); }, "ring", 1, 200, 0.001},
    {"uneven ring", [](Trace& t, std::int64_t npus) { make_ring(t, npus, false); }, "ring", 1, 200, 0.001},
    {"direct, switch", make_direct, "switch", 2, 200, 0.5},
    {"direct, connected", make_direct, "fully_connected", 1, 200, 0.5},
    {"all-to-all, switch", make_all_to_all, "switch", 2, 500, 1, IssueMode::workload},
};

std::optional<ReplayProgram> compile_pattern(const Pattern& pattern, Rank npus) {
  Diagnostics diagnostics;
  const auto network =
      parse_short_network(std::string(pattern.topology) + ":" + std::to_string(npus) + ",bw=50GB/s,lat=500ns");
  ReplayOptions options;
  if (pattern.issue == IssueMode::workload) options.system = load_system({}, network);
  options.symmetry = false;
  options.issue = pattern.issue;
  ReplayBuilder builder(network, options, diagnostics);
  for (Rank r = 0; r < npus; ++r) {
    Trace trace;
    trace.rank = r;
    pattern.make(trace, npus);
    builder.add(trace);
  }
  auto program = builder.finish();
  bench::check(diagnostics);
  return program;
}

struct Timed {
  bench::Best best;
  double messages = 0;
};

// Replays compared with a heap of one event for each of the `hops` of a message. The best of three, as each takes
// seconds.
Timed time_replay(ReplayProgram& program, NetworkModel model, double hops) {
  program.options.network.model = model;
  std::uint64_t messages = 0;
  const auto run = [&] {
    const ReplayResult result = replay(program);
    if (result.status != ReplayStatus::complete) throw Error("the replay does not end");
    messages = 0;
    for (const NpuResult& n : result.npus) messages += n.sends;
  };
  const auto waiting = static_cast<std::uint32_t>(program.ranks.size());
  bench::rounds = std::min(bench::rounds, 3);
  const auto best = bench::best_of_both(
      [&] { bench::hold_events(static_cast<std::uint64_t>(static_cast<double>(messages) * hops), waiting); }, run);
  return {.best = best, .messages = static_cast<double>(messages)};
}

// Returns a time minus its `part`.
bench::Best without(bench::Best time, const bench::Best& part) {
  time.work = std::max(0.0, time.work - part.work);
  return time;
}

constexpr NetworkModel models[] = {NetworkModel::unaware, NetworkModel::aware, NetworkModel::wires};

void measure_pattern(bench::Report& report, const Pattern& pattern, Rank npus) {
  const std::string name_of_memory = std::string("memory of the replay, ") + pattern.label;
  const std::string name_of_link = std::string("linking, ") + pattern.label;
  std::optional<ReplayProgram> program;
  std::optional<bench::Best> linking;
  double nodes = 0;
  double messages = 0;
  for (const NetworkModel model : models) {
    const std::string label = std::string(name(model)) + " / heap, " + pattern.label + ", linked";
    if (!report.wants({label, name_of_link, name_of_memory})) continue;
    if (!program) program = compile_pattern(pattern, npus);
    if (!linking) linking = bench::best_of_both([] {}, [&] { (void)link(*program); });
    const bool by_hop = model != NetworkModel::unaware;
    const double hops = by_hop ? pattern.hops : 1;
    const Timed timed = time_replay(*program, model, hops);
    const double limit = by_hop ? 250 : pattern.message_limit;
    report.add_time(label, by_hop ? "hop" : "message", timed.messages * hops, without(timed.best, *linking),
                    bench::at_most(limit));
    nodes = 0;
    for (const RankProgram& r : program->ranks) nodes += static_cast<double>(r.code->ops.size());
    messages = timed.messages;
  }
  if (report.wants({name_of_link}) && linking) {
    report.add({.name = name_of_link,
                .unit = "ns/message",
                .figure = linking->work * 1e9 / messages,
                .spread = linking->spread});
  }
  program.reset();
  if (!report.wants({name_of_memory})) return;
  const auto memory = bench::memory_of([&] { return compile_pattern(pattern, npus); },
                                       [](std::optional<ReplayProgram>& p) { (void)replay(*p); });
  // At most 48 bytes per node, and 64 per message in flight.
  report.add({.name = name_of_memory,
              .unit = "MiB",
              .figure = memory.peak,
              .floor = (48 * nodes + 64 * messages * pattern.under_way) / 1048576,
              .limit = bench::times_floor(1)});
}

constexpr auto step_of_few_layers =
    "model: {layers: 8, hidden: 8192, heads: 64, kv_heads: 8, ffn: 28672, vocab: 128256}\n"
    "run: {sequence: 8192, micro_batches: 4}\n"
    "plan: {tensor: 8, sequence_parallel: true, pipeline: 4, shard: zero1, buckets: megatron}\n";

std::string write_step(const std::string& folder, const Workload& step) {
  std::string bytes;
  const auto out = memory_output(bytes);
  write_master(WorkloadSet(step).master(), *out);
  out->close();
  std::string file = folder + "/" + std::to_string(step.plan.ranks()) + ".etm";
  std::ofstream(file, std::ios::binary) << bytes;
  return file;
}

// On two dimensions of switches, of 8 and of `npus` / 8 NPUs.
std::optional<ReplayProgram> load_step(const std::string& file, Rank npus, bool symmetry) {
  Diagnostics diagnostics;
  TraceSource source({.operands = {file}, .hash = false}, diagnostics);
  (void)source.prepare(false);
  const auto network = parse_short_network("switch:8,bw=450GB/s,lat=300ns+switch:" + std::to_string(npus / 8) +
                                           ",bw=50GB/s,lat=2us");
  const auto system = load_system({}, network);
  add_groups(*system, source.groups(), network);
  ReplayOptions options;
  options.symmetry = symmetry;
  options.system = system;
  options.network.model = NetworkModel::wires;
  auto program = load_program(source, network, options, true, 1, diagnostics);
  bench::check(diagnostics);
  return program;
}

// Growth of the time per message with the ranks: 1 if it stays constant.
void measure_growth(bench::Report& report, const std::string& folder, Rank few, Rank many) {
  for (const NetworkModel model : models) {
    const std::string growth = std::string(name(model)) + ", growth of a step's time with its messages, " +
                               std::to_string(few) + " to " + std::to_string(many) + " ranks";
    Timed of_few;
    for (const Rank npus : {few, many}) {
      const std::string label =
          std::string(name(model)) + " / heap, training step of " + std::to_string(npus) + " ranks";
      if (!report.wants({label, growth})) continue;
      const std::string file = write_step(folder, parse_workload("step.yaml", step_of_few_layers, npus));
      std::optional<ReplayProgram> program = load_step(file, npus, false);
      const Timed timed = time_replay(*program, model, 1);
      report.add_time(label, "message", timed.messages, timed.best, bench::at_most(250));
      if (npus == few) {
        of_few = timed;
        continue;
      }
      if (of_few.messages == 0) continue;
      const double slower = std::log(timed.best.work / of_few.best.work);
      report.add({.name = growth,
                  .unit = "exponent",
                  .figure = slower / std::log(timed.messages / of_few.messages),
                  .limit = bench::at_most(1.1)});
    }
  }
}

// A step from its class-compressed set, with simulated classes of ranks, compared with reading and compiling it.
void measure_classes(bench::Report& report, const std::string& folder, Rank npus) {
  const std::string label = "step of llama3-405b on " + std::to_string(npus) + ", load and replay / load";
  if (!report.wants({label})) return;
  const std::string file = write_step(folder, report.smoke ? parse_workload("step.yaml", step_of_few_layers, npus)
                                                           : preset_workload("llama3-405b", npus));
  const auto load = [&] { return load_step(file, npus, true); };
  const bench::Best best = bench::best_of_both([&] { (void)load(); }, [&] { (void)replay(*load()); });
  report.add({.name = label,
              .unit = "s",
              .figure = best.work,
              .floor = best.floor,
              .limit = bench::times_floor(1.5),
              .spread = best.spread});
}

void measure(bench::Report& report) {
  for (const Pattern& pattern : patterns) measure_pattern(report, pattern, report.smoke ? 16 : 1024);
  const bench::Scratch folder;
  measure_growth(report, folder.path(), report.smoke ? 64 : 1024, report.smoke ? 128 : 16'384);
  for (const Rank npus : report.smoke ? std::vector{64U} : std::vector{256U, 1024U, 4096U, 16'384U}) {
    measure_classes(report, folder.path(), npus);
  }
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, {}, measure); }
