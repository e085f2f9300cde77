// SPDX-License-Identifier: MIT
// Replay of small sets on small networks: traces as JSON lines, or MSCCL-IR, which must run to its end if it is
// proved.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/network.h"
#include "formats/chrome.h"
#include "passes/verify/verify.h"
#include "set_fuzzing.h"
#include "simulate/replay.h"
#include "simulate/report.h"

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

// Nothing if the traces cannot be replayed.
std::optional<ReplayStatus> run_replay(std::span<const Trace> traces, std::uint32_t variant) {
  ReplayOptions options;
  options.issue = (variant & 1U) != 0 ? IssueMode::workload : IssueMode::algorithm;
  options.size_bytes = 1 << 20;
  options.timeline = (variant & 2U) != 0;
  if ((variant & 12U) == 12U) options.until = 5'000'000;
  NetworkConfig network = small_network(traces.size(), variant);
  if (!network.ideal && (variant & 16U) != 0) options.network.model = NetworkModel::aware;
  Diagnostics diagnostics;
  ReplayBuilder builder(std::move(network), options, diagnostics);
  for (const Trace& trace : traces) builder.add(trace);
  std::optional<ReplayProgram> program = builder.finish();
  check(program.has_value() == (diagnostics.errors() == 0),
        "replay refuses without an error, or reports one and goes on");
  if (!program) return std::nullopt;
  const auto text = [](const ReplayResult& result) {
    std::string out;
    append_text(result, out);
    append_csv(result, out);
    append_json(result, out);
    for (const std::string& line : describe(result.waits, 10)) out += line;
    write_chrome(result.timeline, *memory_output(out));
    return out;
  };
  try {
    const ReplayResult result = replay(*program);
    check(text(replay(*program)) == text(result), "a second replay of the same program differs");
    return result.status;
  } catch (const Error& e) {  // times beyond what the clock can hold come from no single place
    check(e.kind() == Error::Kind::input, "an error that is not about the input");
    return std::nullopt;
  }
}

void replay_algorithm(std::string_view text, std::uint32_t variant) {
  Diagnostics diagnostics;
  const Algorithm algorithm = read_msccl_text(text, diagnostics);
  check_structure(algorithm, diagnostics);
  if (diagnostics.errors() != 0) return;
  verify(make_program(algorithm), {.dataflow = false, .collective = {}, .soft = Severity::error}, diagnostics);
  if (diagnostics.errors() != 0) return;
  const auto status = run_replay(lowered(algorithm, std::int64_t{algorithm.chunks} * 1000), variant & ~12U);
  check(!status || *status == ReplayStatus::complete, "a proved algorithm does not run to its end");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size > max_input_bytes) return 0;
  const std::uint32_t variant = variant_of(bytes);
  may_refuse([&] {
    if (find_format("msccl").sniff(bytes.substr(0, 4096))) return replay_algorithm(bytes, variant);
    if (const std::vector<Trace> traces = read_set(bytes); !traces.empty()) (void)run_replay(traces, variant);
  });
  return 0;
}
