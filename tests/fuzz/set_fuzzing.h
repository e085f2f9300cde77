// SPDX-License-Identifier: MIT
// What the fuzz targets of whole sets share: the rules, proof, export, drawings and replay of traces of ranks
// 0…n-1.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/network.h"
#include "formats/chrome.h"
#include "formats/format.h"
#include "passes/lower/export.h"
#include "passes/lower/lower.h"
#include "passes/trace_summary.h"
#include "passes/validate.h"
#include "passes/verify/verify.h"
#include "simulate/replay.h"
#include "simulate/report.h"
#include "trace_fuzzing.h"

namespace convert::fuzzing {

// Bits that vary what is done with an input, from its own bytes: the same input always takes the same way.
inline std::uint32_t variant_of(std::string_view bytes) {
  std::uint32_t h = 2166136261U;
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 16777619U;
  return h ^ h >> 16;
}

inline void check_no_errors(const Diagnostics& diagnostics, const char* what) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity != Severity::error) continue;
    std::fprintf(stderr, "fuzz: %s\n", format_diagnostic(d).c_str());
    check(false, what);
  }
}

// Finds what the rules find; nothing may throw.
inline void check_rules(std::span<const Trace> traces, Diagnostics& diagnostics) {
  const RuleSet all = RuleSet::all();
  std::vector<TraceSummary> summaries;
  for (const Trace& trace : traces) {
    check_trace(trace, all, diagnostics);
    summaries.push_back(summarise(trace));
  }
  check_set(summaries, all, diagnostics);
}

inline void draw(std::span<const Trace> traces) {
  for (const Format* format : all_formats()) {
    if (format->write_set == nullptr) continue;
    std::string out;
    format->write_set(traces, {}, *memory_output(out));
  }
}

inline NetworkConfig small_network(std::size_t npus, std::uint32_t variant) {
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
inline std::optional<ReplayStatus> run_replay(std::span<const Trace> traces, std::uint32_t variant) {
  ReplayOptions options;
  options.issue = (variant & 1U) != 0 ? IssueMode::workload : IssueMode::algorithm;
  options.size_bytes = 1 << 20;
  options.timeline = (variant & 2U) != 0;
  if ((variant & 12U) == 12U) options.until = 5'000'000;
  NetworkConfig network = small_network(traces.size(), variant);
  if (!network.ideal && (variant & 16U) != 0) options.model = NetworkModel::aware;
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
  const ReplayResult result = replay(*program);
  check(text(replay(*program)) == text(result), "a second replay of the same program differs");
  return result.status;
}

// What is exported is a document that can be read again.
inline void check_export(std::span<const Trace> traces) {
  Diagnostics diagnostics;
  std::string text;
  find_format("msccl").write_algorithm(export_algorithm(traces, diagnostics), {}, text);
  const auto input = memory_input("fuzz.xml", text);
  const FormatOptions options;
  try {
    (void)find_format("msccl").read_algorithm({*input, std::nullopt, options, diagnostics});
  } catch (const Error& e) {
    std::fprintf(stderr, "fuzz: %s: %s\n", format_location(e.where()).c_str(), e.what());
    check(e.rule() != "xml", "what was exported is not well-formed");
  }
}

}  // namespace convert::fuzzing
