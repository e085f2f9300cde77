// SPDX-License-Identifier: MIT
#include "scenario/synthesized/judged_builders.h"

#include <utility>
#include <vector>

#include "collectives/collective.h"
#include "passes/lower/lower.h"
#include "scenario/inputs.h"
#include "scenario/scenario.h"
#include "util/parallel.h"

namespace convert {
namespace {

Scenario scenario_of(const NetworkConfig& network, const SynthesisRequest& request) {
  Scenario scenario{.workload = {}, .network = network, .options = {}};
  NetworkOptions& options = scenario.options.network;
  options.model = NetworkModel::wires;
  options.forwarding = request.forwarding;
  options.occupancy = request.occupancy == Schedule::Occupancy::beta ? Occupancy::beta : Occupancy::alpha_beta;
  options.failed = request.failed;
  scenario.options.system = load_system({}, network);
  if (request.failed.empty()) return scenario;
  // Collectives in one direction, such as a broadcast, need no reverse routes; without these a replay refuses
  // failed links.
  WireGraph left = build_wire_graph(network);
  erase_failed_wires(left, request.failed);
  if (find_unreachable(left)) {
    scenario.network = {.source = network.source, .graph = std::move(left)};
    options.failed.clear();
  }
  return scenario;
}

constexpr std::int64_t quick_messages = 70'000;
constexpr std::int64_t most_messages = 5 * quick_messages;  // if no synthesis method is as good
constexpr std::int64_t few_bytes = std::int64_t{1} << 14U;  // schedules of larger shards have enough pieces

// Returns the numbers of chunks that a shard may be divided into.
std::vector<std::int32_t> chunk_counts(const SynthesisChoice& choice) {
  if (choice.pieces) return {static_cast<std::int32_t>(*choice.pieces)};
  std::vector<std::int32_t> out = {1, 4, 16};
  if (choice.most_pieces != 0)
    std::erase_if(out, [&](std::int32_t k) { return std::cmp_greater(k, choice.most_pieces); });
  return out;
}

std::vector<CollectiveRequest> builders_for(const SynthesisProblem& problem, const SynthesisChoice& choice) {
  std::vector<CollectiveRequest> out;
  if (choice.pieces && has_root(problem.collective)) return out;  // builders divide shards of the root's buffer
  const auto ranks = static_cast<std::int32_t>(problem.size());
  const Collective c = problem.collective;
  const std::vector<std::int32_t> counts = chunk_counts(choice);
  for (const CollectiveAlgorithm& a : collective_algorithms()) {
    // The schedules of the synthesis methods are as fast for direct all-gathers.
    const bool to_each = a.name == "pairwise" ||
                         (a.name == "direct" && (c == Collective::all_reduce || c == Collective::all_to_all));
    const bool apart = to_each || a.name == "recursive_doubling" || a.name == "halving_doubling" ||
                       a.name == "rabenseifner" || has_root(c);
    if (!apart || !a.offers(c)) continue;
    const std::int64_t each = std::int64_t{ranks} * (to_each ? ranks : 16);
    // The synthesis methods schedule all-to-alls of many participants in whole shards only.
    const std::int64_t most = c == Collective::all_to_all ? most_messages : quick_messages;
    for (const std::int32_t chunks : counts) {
      if (chunks > 1 && each * chunks > most) break;
      out.push_back({.collective = c, .algorithm = std::string(a.name), .ranks = ranks, .chunks = chunks});
    }
  }
  for (std::int32_t first = 2; first * 2 <= ranks; ++first) {
    const bool taken = c == Collective::all_reduce || c == Collective::all_gather ||
                       c == Collective::reduce_scatter || c == Collective::all_to_all;
    if (!taken || ranks % first != 0) continue;
    const std::int64_t each = 2 * std::int64_t{ranks} * (first + ranks / first);
    for (const std::int32_t chunks : counts) {
      if (chunks > 1 && (problem.shard_bytes > few_bytes || each * chunks > most_messages)) break;
      out.push_back({.collective = c,
                     .algorithm = "hierarchical",
                     .ranks = ranks,
                     .chunks = chunks,
                     .dims = {first, ranks / first}});
      if (c != Collective::all_to_all) out.back().dim_algorithms = {"direct"};
    }
  }
  for (CollectiveRequest& r : out) {
    if (has_root(c)) r.root = static_cast<std::int32_t>(problem.root);
  }
  return out;
}

// Returns nothing if the algorithm cannot have that number of chunks.
std::optional<Algorithm> built(const CollectiveRequest& request) {
  try {
    return build_collective(request);
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::usage) throw;
    return std::nullopt;
  }
}

// Returns the time of an algorithm; nothing if it does not complete.
std::optional<Picoseconds> time_of(const Algorithm& algorithm, std::optional<std::int64_t> bytes,
                                   const Scenario& scenario) {
  Diagnostics ignored;
  const Lowering lowering(algorithm, bytes, ignored);
  std::vector<Trace> traces(static_cast<std::size_t>(algorithm.ranks()));
  for (std::size_t r = 0; r < traces.size(); ++r) {
    traces[r].rank = static_cast<Rank>(r);
    lowering.lower(static_cast<Rank>(r), traces[r]);
  }
  const LoadedReplay loaded = load_replay(traces, scenario, 1, ignored);
  if (!loaded.program) return std::nullopt;
  const ReplayResult result = replay(*loaded.program);
  if (result.status != ReplayStatus::complete) return std::nullopt;
  return result.total_ps;
}

}  // namespace

std::optional<JudgedBuilder> fastest_builder(const NetworkConfig& network, const SynthesisRequest& request,
                                             const SynthesisProblem& problem, const SynthesisChoice& choice,
                                             const BuilderJudging& judging) {
  constexpr std::uint32_t most_ranks = 256;
  if (problem.size() != problem.graph.npus || problem.size() < 2 || problem.size() > most_ranks)
    return std::nullopt;
  if (find_unreachable(problem.wires)) return std::nullopt;  // a replay finds no routes
  Scenario scenario = scenario_of(network, request);
  scenario.options.issue = judging.issue;
  std::vector<CollectiveRequest> requests = builders_for(problem, choice);
  for (CollectiveRequest& r : requests) r.largest_call = judging.largest_call;
  std::optional<JudgedBuilder> best;
  for_each_ordered(
      choice.jobs, requests.size(),
      [&](std::size_t i) {
        std::optional<JudgedBuilder> out;
        std::optional<Algorithm> algorithm = built(requests[i]);
        if (!algorithm) return out;
        const std::int64_t beyond = problem.bytes % algorithm->chunks;  // bytes that would not be transferred
        if (beyond != 0 && !judging.spread) return out;
        const std::int64_t bytes = problem.bytes + (beyond == 0 ? 0 : algorithm->chunks - beyond);
        const std::optional<Picoseconds> total = time_of(*algorithm, bytes, scenario);
        if (total)
          out = {std::move(*algorithm), requests[i].algorithm + ", " + counted(requests[i].chunks, "chunk"),
                 *total};
        return out;
      },
      [&](std::size_t, std::optional<JudgedBuilder>&& made) {
        if (made && made->total < (best ? best->total : judging.limit) &&
            (!judging.takes || judging.takes(made->algorithm)))
          best = std::move(made);
      });
  return best;
}

FasterBuilder faster_builder(IssueMode issue) {
  return [issue](const NetworkConfig& network, const SynthesisRequest& request, const SynthesisProblem& problem,
                 const SynthesisChoice& choice, Picoseconds limit,
                 const std::function<bool(const Algorithm&)>& takes) -> std::optional<Algorithm> {
    std::optional<JudgedBuilder> found = fastest_builder(
        network, request, problem, choice, {.limit = limit, .takes = takes, .spread = true, .issue = issue});
    if (!found) return std::nullopt;
    return std::move(found->algorithm);
  };
}

AlgorithmTimer timer_by_replay(const NetworkConfig& network, const SynthesisRequest& request) {
  Scenario scenario = scenario_of(network, request);
  scenario.options.issue = IssueMode::algorithm;
  return [scenario = std::move(scenario)](const Algorithm& algorithm, std::int64_t bytes) {
    return time_of(algorithm, bytes, scenario);
  };
}

std::optional<Picoseconds> time_on_machine(const NetworkConfig& network, const Algorithm& algorithm,
                                           std::optional<std::int64_t> bytes) {
  Scenario scenario{.workload = {}, .network = network, .options = {}};
  scenario.options.network.model = NetworkModel::fair;
  scenario.options.issue = IssueMode::algorithm;
  scenario.options.system = load_system({}, network);
  return time_of(algorithm, bytes, scenario);
}

AlgorithmJudge judge_by_replay(const NetworkConfig& network, const SynthesisRequest& request) {
  return [scenario = scenario_of(network, request)](const Algorithm& algorithm) {
    const std::optional<Picoseconds> total = time_of(algorithm, std::nullopt, scenario);
    if (!total) throw Error("the replay of the synthesized algorithm does not complete");
    return *total;
  };
}

}  // namespace convert
