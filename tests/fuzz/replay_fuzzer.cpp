// SPDX-License-Identifier: MIT
// Replay of small sets on small networks: traces as JSON lines, or MSCCL-IR, which must run to its end if it is
// proved.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/network/network.h"
#include "formats/timeline/chrome.h"
#include "fuzzer.h"
#include "passes/verify/verify.h"
#include "set_fuzzing.h"
#include "simulate/engine/replay.h"
#include "simulate/report/report.h"
#include "simulate/system/default_system.h"

namespace {

using namespace convert;
using namespace convert::fuzzing;

NetworkConfig small_network(std::size_t npus, std::uint32_t variant) {
  const auto dim = [&](std::size_t n, std::uint32_t which) {
    constexpr std::string_view names[] = {"ring", "switch", "fully_connected"};
    return std::string(names[which % 3]) + ":" + std::to_string(n) + ",bw=50GB/s,lat=500ns";
  };
  if (npus < 2) return parse_short_network("ideal");
  if (npus >= 4 && npus % 2 == 0 && (variant & 64U) != 0)
    return parse_short_network(dim(2, variant >> 7U) + "+" + dim(npus / 2, variant >> 9U));
  return parse_short_network(dim(npus, variant >> 7U));
}

// Systems of all kinds, by bits of the variant.
std::shared_ptr<const ReplaySystem> small_system(const NetworkConfig& network, std::uint32_t variant) {
  auto system = std::make_shared<ReplaySystem>();
  system->config = default_system(network);
  if ((variant & 1U) != 0) {
    const std::uint32_t which = variant >> 1U & 3U;
    for (CollectiveChoice& c : system->config.collectives) {
      c.per_dim.assign(std::max<std::size_t>(network.dims.size(), 1), {});
      for (AlgorithmChoice& a : c.per_dim) {
        if (which == 1) a.algorithm = NativeAlgorithm::direct;
        if (which == 2) a.algorithm = NativeAlgorithm::halving_doubling;
        if (which == 3) a.window = 2;
      }
    }
  }
  system->config.dataset_splits = 1 + (variant >> 3U & 3U);
  system->config.active_chunks_per_dimension = 1 + (variant >> 5U & 1U);
  system->queues_per_dim = 1 + (variant >> 6U & 1U);
  system->rendezvous = (variant & 128U) != 0;
  system->balanced = (variant & 256U) != 0;
  system->groups = {{.id = 1, .ranks = {1, 0}}};
  return system;
}

// Returns nothing if the traces cannot be replayed.
std::optional<ReplayStatus> run_replay(std::span<const Trace> traces, std::uint32_t variant) {
  ReplayOptions options;
  options.issue = (variant & 1U) != 0 ? IssueMode::workload : IssueMode::algorithm;
  options.size_bytes = 1 << 20;
  options.timeline = (variant & 2U) != 0;
  if ((variant & 12U) == 12U) options.until = 5'000'000;
  NetworkConfig network = small_network(traces.size(), variant);
  if (!network.ideal && (variant & 16U) != 0)
    options.network.model = (variant & 32U) != 0 ? NetworkModel::wires : NetworkModel::aware;
  options.astra = (variant & 1U << 20U) != 0;
  if (traces.size() >= 2) options.system = small_system(network, variant >> 21U);
  Diagnostics diagnostics;
  ReplayBuilder builder(std::move(network), options, diagnostics);
  for (const Trace& trace : traces) builder.add(trace);
  std::optional<ReplayProgram> program = builder.finish();
  check(program.has_value() == (diagnostics.errors() == 0),
        "replay refuses without an error, or reports one and goes on");
  if (!program) return std::nullopt;
  const auto text = [&](ReplayResult result) {
    result.kinds = collective_kinds(*program);
    std::string out;
    append_text(result, out);
    append_csv(result, out);
    ReplayResult told = result;  // the number of simulated NPUs may differ
    told.classes = 0;
    told.no_symmetry.clear();
    append_json(told, out);
    for (const std::string& line : describe(result.waits, 10)) out += line;
    write_chrome(result.timeline, *memory_output(out));
    return out;
  };
  try {
    const ReplayResult result = replay(*program);
    check(text(replay(*program)) == text(result), "a second replay of the same program differs");
    program->options.symmetry = false;
    check(text(replay(*program)) == text(result), "a replay of every rank differs");
    program->options.explain = ExplainTarget{.end = true};
    if (const auto why = replay(*program).explanation) {
      Picoseconds end = why->at;
      for (const auto& step : why->steps) {
        check(step.begin + step.time == end, "the chain of an explanation has a gap");
        end = step.begin;
      }
      check(why->at == result.total_ps && end == 0, "the chain of an explanation is not whole");
    }
    return result.status;
  } catch (const Error& e) {  // times beyond the range of the clock have no location
    check(e.kind() == Error::Kind::input, "an error that is not about the input");
    return std::nullopt;
  }
}

void replay_algorithm(std::string_view text, std::uint32_t variant) {
  Diagnostics diagnostics;
  const Algorithm algorithm = read_msccl_text(text, diagnostics);
  check_structure(algorithm, diagnostics);
  if (diagnostics.errors() != 0) return;
  verify(make_step_graph(algorithm), {.dataflow = false, .collective = {}, .soft = Severity::error}, diagnostics);
  if (diagnostics.errors() != 0) return;
  // Stopping early, one communication at a time, and rendezvous may prevent completion.
  constexpr std::uint32_t held_back = 12U | 1U << 20U | 1U << 28U;
  const auto status = run_replay(lowered(algorithm, std::int64_t{algorithm.chunks} * 1000), variant & ~held_back);
  check(!status || *status == ReplayStatus::complete, "a proved algorithm does not run to its end");
}

}  // namespace

FUZZER(replay) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size > max_input_bytes) return 0;
  const std::uint32_t variant = variant_of(bytes);
  may_refuse([&] {
    if (find_format("msccl").sniff(bytes.substr(0, 4096))) return replay_algorithm(bytes, variant);
    if (const std::vector<Trace> traces = read_set(bytes); !traces.empty()) (void)run_replay(traces, variant);
  });
  return 0;
}
