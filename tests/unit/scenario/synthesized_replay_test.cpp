// SPDX-License-Identifier: MIT
// A collective of any group takes the time that was found for its algorithm, in a replay that synthesizes it and in
// a replay of a workload with the merged algorithm.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "common/error_text.h"
#include "common/scratch.h"
#include "formats/format.h"
#include "generate/trace_builder.h"
#include "passes/verify/merged/calls.h"
#include "passes/verify/merged/proof.h"
#include "scenario/inputs.h"
#include "scenario/option_values.h"
#include "sets/derived/merging.h"
#include "sets/made_set.h"
#include "sets/schedules.h"
#include "sets/synthesized/library.h"
#include "simulate/engine/replay.h"
#include "unit/synthesis/random_graphs.h"

namespace convert::synthesized_replay_cases {
namespace {

struct Case {
  NetworkConfig network;
  GroupCollective wanted;
};

class SynthesizedReplay : public ::testing::Test {
 protected:
  // Called only by members; `bytes` is the whole size, as in comm_size.
  static std::vector<Trace> workload(const Case& c, const std::vector<std::int64_t>& sizes) {
    std::vector<Trace> traces;
    for (Rank r = 0; r < c.network.graph.npus; ++r) {
      TraceBuilder b(r);
      const bool member = std::ranges::find(c.wanted.group, r) != c.wanted.group.end();
      if (!member) b.compute("other", 1);
      TraceBuilder::Parents after;
      for (const std::int64_t bytes : sizes) {
        if (!member) break;
        const auto root =
            has_root(c.wanted.collective) ? std::optional(c.wanted.group[c.wanted.root]) : std::nullopt;
        after = {b.collective(c.wanted.collective, bytes, after, root, "1")};
      }
      traces.push_back(b.finish());
    }
    return traces;
  }

  // Writes the network as a list of links, and the group beside the traces.
  std::string write(const Case& c, const std::vector<Trace>& traces) {
    std::string text = "#npus\t" + std::to_string(c.network.graph.npus) + "\n#switches\t" +
                       std::to_string(c.network.graph.switches) + "\n#participants\tall\n" +
                       "from\tto\tbandwidth_MBps\tlatency_ns\n";
    for (const GraphWire& w : c.network.graph.wires) {
      text += std::to_string(w.from) + '\t' + std::to_string(w.to) + '\t' +
              std::to_string(std::llround(w.bytes_per_ns * 1000)) + '\t' +
              std::to_string(w.latency_ps / ps_per_ns) + '\n';
    }
    network_ = scratch_.write("net.tsv", text);
    const std::string prefix = "w" + std::to_string(sets_++);
    write_traces(traces, scratch_.path(prefix));
    std::string groups;
    for (const Rank r : c.wanted.group) groups += (groups.empty() ? "" : ", ") + std::to_string(r);
    scratch_.write(prefix + ".groups.json", "{\"1\": [" + groups + "]}");
    return scratch_.path(prefix);
  }

  static Picoseconds time_of(const std::optional<ReplayProgram>& program, const Diagnostics& diagnostics) {
    if (!program) throw std::runtime_error(diagnostics.all().front().message);
    const ReplayResult result = replay(*program);
    EXPECT_EQ(result.status, ReplayStatus::complete);
    EXPECT_TRUE(result.notes.empty()) << result.notes.front();
    return result.total_ps;
  }
  static ReplayOptions options() {
    ReplayOptions options;
    options.network.model = NetworkModel::wires;
    options.network.forwarding = Forwarding::store;
    options.issue = IssueMode::workload;
    return options;
  }

  [[nodiscard]] Picoseconds replayed(const std::string& workload) const {
    Diagnostics diagnostics;
    const NetworkConfig network = find_network(network_);
    SystemInputs inputs;
    inputs.rules.push_back(parse_system_rule("all=synthesized,effort=fast,chunks=2"));
    TraceSource source({.operands = {workload}, .hash = false}, diagnostics);
    auto system = load_system(inputs, network);
    add_groups(*system, source.groups(), network);
    ReplayOptions opts = options();
    opts.system = system;
    return time_of(load_program(source, network, opts, false, 1, diagnostics), diagnostics);
  }

  std::vector<Trace> merged(const std::string& workload, unsigned jobs = 1) {
    Diagnostics diagnostics;
    TraceSource source({.operands = {workload}, .hash = false}, diagnostics);
    MergeOptions merge;
    merge.rules.push_back(
        parse_collective_rule("all=synthesized,effort=fast,chunks=2,forwarding=store,net=" + network_));
    merge.jobs = jobs;
    MergedSet set(source, std::move(merge), diagnostics);
    std::vector<Trace> traces = set.load(jobs);
    set.finish();
    EXPECT_EQ(set.counts().kept, 0U);
    EXPECT_EQ(set.counts().misfits, 0U);
    made_ = set.synthesized();
    return traces;
  }

  [[nodiscard]] Picoseconds time_of_merged(const std::vector<Trace>& traces) const {
    Diagnostics diagnostics;
    const NetworkConfig network = find_network(network_);
    ReplayOptions opts = options();
    opts.system = load_system({}, network);
    return time_of(load_program(traces, network, opts, false, 1, diagnostics), diagnostics);
  }

  static void expect_proved(const std::vector<Trace>& traces, const Case& c, std::uint64_t calls) {
    Diagnostics diagnostics;
    MergedProof proof;
    for (const Trace& t : traces) proof.add(merged_calls(t, diagnostics));
    const GroupLists lists{{"1", c.wanted.group}};
    EXPECT_EQ(proof.run(&lists, std::nullopt, diagnostics).proved, calls);
    EXPECT_EQ(diagnostics.errors(), 0U) << diagnostics.all().front().message;
  }

  test::Scratch scratch_;
  std::string network_;
  std::size_t made_ = 0;
  int sets_ = 0;
};

TEST_F(SynthesizedReplay, LoneCollectivesTakeTheirTime) {
  test::SynthesisDraw draw(21);
  for (int round = 0; round < 12; ++round) {
    Case c{.network = test::random_network(draw, 8, round % 2 == 0 ? 0 : 3), .wanted = {}};
    c.wanted.group = test::random_group(draw, c.network.graph.npus);
    draw.shuffle(c.wanted.group);
    const auto n = static_cast<std::int64_t>(c.wanted.group.size());
    for (const Collective op :
         {Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce, Collective::broadcast,
          Collective::reduce, Collective::all_to_all, Collective::scatter, Collective::gather}) {
      SCOPED_TRACE("round " + std::to_string(round) + ", " + std::string(name(op)));
      c.wanted.collective = op;
      c.wanted.root = has_root(op) ? draw.below(static_cast<std::uint32_t>(n)) : 0;
      c.wanted.bytes = n * 2 * 14'000;
      SynthesisLibrary library(c.network, {}, Schedule::Occupancy::beta);
      const Algorithm a = library.make(c.wanted, {.effort = SynthesisEffort::fast, .pieces = 2}, 1);
      ASSERT_TRUE(a.claimed_ps.has_value());
      const std::string file = write(c, workload(c, {states_part(op) ? c.wanted.bytes / n : c.wanted.bytes}));
      const auto tolerance = static_cast<Picoseconds>(2 * c.network.graph.devices() + 8);  // due to rounding of
                                                                                           // hops
      EXPECT_LE(std::abs(replayed(file) - *a.claimed_ps), tolerance);
      const std::vector<Trace> traces = merged(file);
      EXPECT_LE(std::abs(time_of_merged(traces) - *a.claimed_ps), tolerance);
      expect_proved(traces, c, 1);
    }
  }
}

// Collectives of a class of sizes share the algorithm of the largest, for any number of threads.
TEST_F(SynthesizedReplay, ClassesOfSizesShareAnAlgorithm) {
  test::SynthesisDraw draw(3);
  Case c{.network = test::random_network(draw, 8, 2), .wanted = {.group = {1, 0}}};
  for (Rank r = 2; r < c.network.graph.npus; ++r) c.wanted.group.push_back(r);
  std::vector<std::int64_t> sizes;
  for (int i = 0; i < 40; ++i)
    sizes.push_back(std::vector<std::int64_t>{1024, 2000, 5000, 4097, 1'000'003}.at(i % 5));
  const std::string file = write(c, workload(c, sizes));
  const std::vector<Trace> one = merged(file);
  EXPECT_EQ(made_, 3U);
  expect_proved(one, c, sizes.size());
  const std::vector<Trace> threads = merged(file, 4);
  const auto bytes = [](const std::vector<Trace>& traces) {
    std::string out;
    const auto writer = find_format("chakra").write({});
    for (const Trace& t : traces) {
      writer->begin_rank(t, 0, true, out);
      writer->nodes(t, out);
    }
    return out;
  };
  EXPECT_EQ(bytes(one), bytes(threads));
  EXPECT_EQ(time_of_merged(one), replayed(file));
}

}  // namespace
}  // namespace convert::synthesized_replay_cases
