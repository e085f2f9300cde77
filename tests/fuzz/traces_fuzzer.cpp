// SPDX-License-Identifier: MIT
// Small sets of traces as JSON lines: rules, proof, export, drawings and replay.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "load/source.h"
#include "set_fuzzing.h"

namespace {

using namespace convert;
using namespace convert::fuzzing;

constexpr std::size_t max_bytes = 64 << 10;
constexpr std::size_t max_nodes = 2000;
constexpr std::size_t max_ranks = 64;

std::vector<Trace> read(std::string_view bytes) {
  const auto input = memory_input("fuzz.jsonl", bytes);
  const FormatOptions options;
  Diagnostics diagnostics;
  const auto reader = find_format("jsonl").read({*input, std::nullopt, options, diagnostics});
  std::vector<Trace> traces;
  std::size_t nodes = 0;
  Trace trace;
  while (reader->next_rank(trace)) {
    read_nodes(*reader, trace);
    nodes += trace.nodes.nodes.size();
    traces.push_back(std::move(trace));
    if (nodes > max_nodes || traces.size() > max_ranks) return {};
    trace = {};
  }
  std::stable_sort(traces.begin(), traces.end(), [](const Trace& a, const Trace& b) { return a.rank < b.rank; });
  return traces;
}

// What is under test may refuse its input, but only with Error.
template <typename Action>
void may_refuse(const Action& action) {
  try {
    action();
  } catch (const Error& e) {
    check(e.kind() == Error::Kind::input, "an error that is not about the input");
    check(!e.where().file.empty(), "an error without its place");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size > max_bytes) return 0;
  const std::uint32_t variant = variant_of(bytes);
  std::vector<Trace> traces;
  may_refuse([&] { traces = read(bytes); });
  if (traces.empty()) return 0;

  Diagnostics rules;
  for (const Trace& trace : traces) {
    check_trace(trace, RuleSet::all(), rules);
    (void)summarise(trace);
    (void)provenance_of(trace);
  }
  draw(traces);
  try {
    require_whole_set(traces);
  } catch (const Error&) {
    return 0;
  }
  check_rules(traces, rules);
  may_refuse([&] {
    Diagnostics findings;
    const Program program = make_program(traces, findings);
    std::optional<Collective> claimed;
    if ((variant & 7U) == 7U) claimed = static_cast<Collective>(variant >> 3U & 7U);
    verify(program, {.dataflow = true, .collective = claimed, .soft = Severity::error}, findings);
  });
  may_refuse([&] { check_export(traces); });
  may_refuse([&] { (void)run_replay(traces, variant); });
  return 0;
}
