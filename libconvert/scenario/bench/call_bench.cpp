// SPDX-License-Identifier: MIT
#include "scenario/bench/call_bench.h"

#include <algorithm>
#include <utility>

#include "collectives/collective.h"
#include "core/diagnostic.h"
#include "generate/generate.h"
#include "sets/made_set.h"
#include "sets/source.h"
#include "simulate/engine/replay.h"
#include "simulate/report/collective_kind.h"

namespace convert {
namespace {

Scenario bench_scenario(const BenchRequest& request) {
  RunSettings settings{.workload = "benchmark"};
  const auto set = [&](const SweepSetting& s) { settings.set(s, s.values.front()); };
  set({.key = "network", .values = {{request.network}}, .option = "--network"});
  if (!request.algorithm.empty())
    set({.key = "algorithm", .values = {{request.algorithm}}, .option = "--algorithm"});
  for (const SweepSetting& s : request.settings) set(s);
  Scenario scenario = make_scenario(settings);
  if (request.machine != nullptr) scenario.network = network_of(request.machine, request.network);
  return scenario;
}

std::uint32_t gpus_of_node(const NetworkConfig& network) { return network.machine->machine().node.gpus; }

// Returns the number of NPUs of the call.
std::uint32_t npus_of(const BenchRequest& request, const NetworkConfig& network) {
  auto all = static_cast<std::uint32_t>(network.npus());  // 0: any number
  const bool machine = network.machine != nullptr;
  if (all == 0 && !request.npus && !machine)
    throw usage_error("the network " + network.source + " has no number of NPUs; give --npus");
  if (all == 0 && !request.npus) all = gpus_of_node(network);
  const std::uint32_t npus = request.npus.value_or(all);
  if (all != 0 && (npus > all || (npus != all && !machine))) {
    throw usage_error("the network " + network.source + " has " + counted(all, "NPU") + ", but the call has " +
                      std::to_string(npus));
  }
  return npus;
}

// Throws Error(input) if an algorithm of a file is for another collective.
void check_collective(const ReplaySystem& system, Collective collective) {
  for (const std::string& file : custom_prefixes(system)) {
    Diagnostics ignored;  // reported when the algorithm is replayed
    TraceSource source({.operands = {file}, .hash = false}, ignored);
    const Algorithm* const algorithm = source.prepare(false) ? source.algorithm() : nullptr;
    if (algorithm == nullptr || algorithm->collective == collective) continue;
    throw input_error({.file = file},
                      "the algorithm is for " + std::string(name(algorithm->collective)) + ", not for " +
                          std::string(name(collective)),
                      "custom");
  }
}

}  // namespace

bool can_bench(Collective c) {
  return c == Collective::all_reduce || c == Collective::all_gather || c == Collective::reduce_scatter ||
         c == Collective::all_to_all || c == Collective::broadcast || c == Collective::reduce ||
         c == Collective::gather || c == Collective::scatter;
}

CallBench::CallBench(BenchRequest request)
    : request_(std::move(request)),
      scenario_(bench_scenario(request_)),
      npus_(npus_of(request_, scenario_.network)) {
  const NetworkConfig& network = scenario_.network;
  if (network.machine != nullptr)
    nodes_ = request_.nodes.value_or((npus_ + gpus_of_node(network) - 1) / gpus_of_node(network));
  if (nodes_ != 0 && network.machine->nodes() && nodes_ > *network.machine->nodes()) {
    throw usage_error("the network " + network.source + " has " + counted(*network.machine->nodes(), "node") +
                      ", but the call has " + std::to_string(nodes_));
  }
  check_scenario(scenario_);
  check_collective(*scenario_.options.system, request_.collective);
}

// Settings of a replay, such as another model, apply to replays only.
bool CallBench::takes_library_time() const {
  return nodes_ != 0 && request_.algorithm.empty() && request_.settings.empty();
}

CallSeries CallBench::series() const {
  return {.collective = request_.collective,
          .npus = npus_,
          .nodes = nodes_,
          .network = request_.network,
          .choice = request_.algorithm,
          .elements = true};
}

std::optional<TimedCall> CallBench::time(std::int64_t bytes) const {
  if (!takes_library_time()) return replayed(bytes);
  const MachineCost cost = scenario_.network.machine->cost(
      {.collective = request_.collective, .ranks = npus_, .nodes = nodes_, .bytes = static_cast<double>(bytes)});
  return TimedCall{.bytes = bytes,
                   .time = round_to_ps(cost.time_ns),
                   .algorithm = name(cost.algorithm, nodes_),
                   .source = std::string(name(cost.source)),
                   .error_pct = cost.error_pct};
}

// Returns whether the calls have an algorithm that is no native one.
bool CallBench::requires_program() const {
  return std::ranges::any_of(scenario_.options.system->rules, [&](const SystemRule& rule) {
    return rule.which.takes(request_.collective) && !rule.choice.custom.empty();
  });
}

std::optional<TimedCall> CallBench::replayed(std::int64_t bytes) const {
  const std::int64_t size = states_part(request_.collective) ? bytes / npus_ : bytes;
  GenerateRequest trace{.kind = "collectives", .ranks = static_cast<Rank>(npus_), .count = 1};
  trace.comm = {{.type = request_.collective, .bytes = size}};
  MadeSet set(scenario_.workload, trace.ranks, trace_generator(trace));
  Diagnostics diagnostics;
  const LoadedReplay loaded = load_replay(set, scenario_, 1, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Severity::error)
      throw input_error({.file = request_.algorithm.empty() ? request_.network : request_.algorithm}, d.message,
                        d.rule);
  }
  const auto is_native = [](const CollectivePlan& plan) { return plan.call.custom == 0; };
  if (requires_program() && std::ranges::any_of(loaded.program->plans, is_native)) return std::nullopt;
  const ReplayResult result = replay(*loaded.program);
  if (result.status != ReplayStatus::complete)
    throw input_error({.file = request_.network}, result_message(result), "replay");
  TimedCall call{.bytes = bytes, .time = result.total_ps};
  const std::vector<CollectiveKind> kinds = collective_kinds(*loaded.program, false);
  if (result.collectives.empty()) return call;
  const CollectiveKind& kind = kinds[result.collectives.front().plan];
  call.algorithm = kind.algorithm;
  call.source = kind.source;
  call.error_pct = kind.error_pct;
  return call;
}

std::vector<std::string> algorithms_to_bench(Collective collective, const NetworkConfig& network) {
  std::vector<std::string> out;
  std::string dims;
  for (const NetworkDim& d : network.dims) dims += (dims.empty() ? "" : "x") + std::to_string(d.npus);
  for (const CollectiveAlgorithm& a : collective_algorithms()) {
    if (!a.offers(collective)) continue;
    if (!a.takes_dims) out.emplace_back(a.name);
    if (a.takes_dims && network.dims.size() > 1) out.push_back(std::string(a.name) + ",dims=" + dims);
  }
  return out;
}

}  // namespace convert
