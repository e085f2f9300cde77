// SPDX-License-Identifier: MIT
// A workload with merged algorithms runs exactly as long as the workload with the same algorithms passed to the
// replay: on every network, to the picosecond, NPU by NPU.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "collectives/collective.h"
#include "common/scratch.h"
#include "formats/format.h"
#include "generate/generate.h"
#include "generate/trace_builder.h"
#include "sanitized.h"
#include "scenario/inputs.h"
#include "scenario/option_values.h"
#include "sets/derived/merging.h"
#include "sets/made_set.h"
#include "sets/schedules.h"
#include "simulate/engine/replay.h"

namespace convert {
namespace {

using Finish = std::vector<std::optional<Picoseconds>>;

struct Network {
  std::string config;
  NetworkModel model;
};

std::vector<Network> networks(Rank npus) {
  const std::string n = std::to_string(npus);
  const std::string speed = ",bw=33.3GB/s,lat=700ns";
  return {{"ideal", NetworkModel::unaware},
          {"ring:" + n + speed, NetworkModel::unaware},
          {"ring:" + n + speed, NetworkModel::aware},
          {"fully_connected:" + n + speed, NetworkModel::aware},
          {"ring:" + n + speed, NetworkModel::wires},
          {"mesh:2x" + std::to_string(npus / 2) + speed, NetworkModel::wires}};
}

class MergeReplay : public ::testing::Test {
 protected:
  // As MSCCL-IR, which both paths read.
  std::string algorithm(Collective collective, const std::string& name, std::int32_t ranks) {
    const std::string file = scratch_.path(name + std::to_string(static_cast<int>(collective)) + ".xml");
    std::string text;
    find_format("msccl").write_algorithm(
        build_collective({.collective = collective, .algorithm = name, .ranks = ranks}), {}, text);
    return scratch_.write(std::filesystem::path(file).filename(), text);
  }

  static ReplayOptions options(const Network& network) {
    ReplayOptions options;
    options.network.model = network.model;
    if (network.model == NetworkModel::wires) options.network.occupancy = Occupancy::alpha_beta;
    options.issue = IssueMode::unlimited;
    return options;
  }
  static Finish finish_of(const ReplayProgram& program) {
    const ReplayResult result = replay(program);
    EXPECT_EQ(result.status, ReplayStatus::complete);
    Finish out;
    for (const NpuResult& npu : result.npus) out.push_back(npu.finish_ps);
    return out;
  }

  Finish unmerged(const std::string& workload, const std::vector<std::string>& rules, const Network& on) {
    Diagnostics diagnostics;
    const NetworkConfig network = find_network(on.config);
    SystemInputs inputs;
    for (const std::string& rule : rules) inputs.rules.push_back(parse_system_rule(rule));
    TraceSource source({.operands = {workload}, .hash = false}, diagnostics);
    auto system = load_system(inputs, network);
    add_groups(*system, source.groups(), network);
    ReplayOptions opts = options(on);
    opts.system = system;
    const auto program = load_program(source, network, opts, false, 1, diagnostics);
    if (!program) throw std::runtime_error(diagnostics.all().front().message);
    return finish_of(*program);
  }

  Finish merged(const std::string& workload, const std::vector<std::string>& rules, const Network& on) {
    Diagnostics diagnostics;
    const NetworkConfig network = find_network(on.config);
    TraceSource source({.operands = {workload}, .hash = false}, diagnostics);
    MergeOptions merge;
    for (const std::string& rule : rules) merge.rules.push_back(parse_collective_rule(rule));
    MergedSet set(source, std::move(merge), diagnostics);
    const std::vector<Trace> traces = set.load(1);
    set.finish();
    EXPECT_EQ(set.counts().kept, 0U);
    ReplayOptions opts = options(on);
    opts.system = load_system({}, network);
    const auto program = load_program(traces, network, opts, false, 1, diagnostics);
    if (!program) throw std::runtime_error(diagnostics.all().front().message);
    return finish_of(*program);
  }

  void compare(const std::string& workload, const std::vector<std::string>& rules, Rank npus) {
    for (const Network& network : networks(npus)) {
      SCOPED_TRACE(network.config + " " + std::string(name(network.model)) + " " + rules.front());
      const Finish expected = unmerged(workload, rules, network);
      ASSERT_FALSE(expected.empty());
      EXPECT_EQ(merged(workload, rules, network), expected);
    }
  }

  std::string generated(const GenerateRequest& request) {
    const MakeTrace make = trace_generator(request);
    std::vector<Trace> traces;
    for (Rank r = 0; r < request.ranks; ++r) traces.push_back(make(r));
    const std::string prefix = scratch_.path("w" + std::to_string(sets_++));
    write_traces(traces, prefix);
    return prefix;
  }

  test::Scratch scratch_;
  int sets_ = 0;
};

TEST_F(MergeReplay, EveryAlgorithmInTrainingLayers) {
  constexpr Rank npus = 8;
  const std::string workload = generated(
      {.kind = "layers",
       .ranks = npus,
       .compute_ns = 3000,
       .comm = {parse_generated_collective("all_reduce:1MiB"), parse_generated_collective("all_gather:64KiB")},
       .layers = 3});
  for (const CollectiveAlgorithm& a : collective_algorithms()) {
    if (!a.offers(Collective::all_reduce) || a.takes_dims) continue;
    compare(workload,
            {"all_reduce=" + algorithm(Collective::all_reduce, std::string(a.name), npus),
             "all_gather=" + algorithm(Collective::all_gather, "ring", npus)},
            npus);
  }
}

TEST_F(MergeReplay, OtherCollectives) {
  constexpr Rank npus = 6;
  for (const auto& [type, collective] :
       {std::pair{"reduce_scatter", Collective::reduce_scatter}, std::pair{"all_to_all", Collective::all_to_all},
        std::pair{"all_gather", Collective::all_gather}}) {
    const std::string workload = generated({.kind = "collectives",
                                            .ranks = npus,
                                            .comm = {parse_generated_collective(std::string(type) + ":720KiB")},
                                            .count = 3});
    for (const CollectiveAlgorithm& a : collective_algorithms()) {
      if (!a.offers(collective) || a.takes_dims) continue;
      compare(workload, {std::string(type) + "=" + algorithm(collective, std::string(a.name), npus)}, npus);
    }
  }
}

// Sizes that are not divisible by the chunks: both distribute the remainder equally.
TEST_F(MergeReplay, Remainders) {
  constexpr Rank npus = 6;
  for (const auto& [type, collective] :
       {std::pair{"all_reduce", Collective::all_reduce}, std::pair{"reduce_scatter", Collective::reduce_scatter},
        std::pair{"all_gather", Collective::all_gather}, std::pair{"all_to_all", Collective::all_to_all},
        std::pair{"broadcast", Collective::broadcast}, std::pair{"reduce", Collective::reduce}}) {
    const std::string workload = generated({.kind = "collectives",
                                            .ranks = npus,
                                            .comm = {parse_generated_collective(std::string(type) + ":1000003")},
                                            .count = 2});
    for (const CollectiveAlgorithm& a : collective_algorithms()) {
      if (!a.offers(collective) || a.takes_dims) continue;
      const std::string file = algorithm(collective, std::string(a.name), npus);
      compare(workload, {std::string(type) + "=" + file}, npus);
      if (!test::sanitized) compare(workload, {std::string(type) + "=" + std::string(a.name)}, npus);
    }
  }
}

// All at once, so that only their tags and the order of ties distinguish the instances.
TEST_F(MergeReplay, ConcurrentCollectivesOfOneGroup) {
  constexpr Rank npus = 8;
  const std::string workload = generated({.kind = "collectives",
                                          .ranks = npus,
                                          .comm = {parse_generated_collective("all_reduce:1MiB")},
                                          .count = 5,
                                          .chained = false});
  for (const char* name : {"ring", "direct", "halving_doubling", "double_binary_tree"}) {
    compare(workload, {"all_reduce=" + algorithm(Collective::all_reduce, name, npus)}, npus);
  }
}

// Two crossing pairs of groups, listed in any order, with messages between ranks in addition.
TEST_F(MergeReplay, GroupsThatOverlap) {
  constexpr Rank npus = 8;
  std::vector<Trace> traces;
  std::mt19937 random(7);
  for (Rank r = 0; r < npus; ++r) {
    TraceBuilder b(r);
    NodeId last = b.compute("start", 1000 + r * 37);
    for (int i = 0; i < 4; ++i) {
      last = b.collective(Collective::all_reduce, 1 << 20, {last}, std::nullopt, r < npus / 2 ? "1" : "2");
      const NodeId sent = b.send((r + 1) % npus, 4096, i, {last});
      const NodeId received = b.receive((r + npus - 1) % npus, 4096, i, {});
      last = b.compute("between", 500, {sent, received});
      last = b.collective(Collective::all_reduce, 1 << 18, {last}, std::nullopt, r % 2 == 0 ? "3" : "4");
    }
    traces.push_back(b.finish());
  }
  const std::string prefix = scratch_.path("groups");
  write_traces(traces, prefix);
  scratch_.write("groups.groups.json",
                 R"({"1": [2, 0, 3, 1], "2": [4, 5, 6, 7], "3": [6, 4, 2, 0], "4": [1, 3, 5, 7]})");
  for (const char* name : {"ring", "direct", "recursive_doubling"}) {
    compare(prefix, {"all_reduce=" + algorithm(Collective::all_reduce, name, npus / 2)}, npus);
    compare(prefix, {std::string("all_reduce=") + name}, npus);
  }
}

}  // namespace
}  // namespace convert
