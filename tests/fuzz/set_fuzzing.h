// SPDX-License-Identifier: MIT
// Helpers for fuzz targets of whole sets: reading and lowering, and the distinction of a rejection from a defect.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/format.h"
#include "passes/lower/lower.h"
#include "passes/provenance.h"
#include "sets/source.h"
#include "trace_fuzzing.h"

namespace convert::fuzzing {

// Larger inputs take too long.
inline constexpr std::size_t max_input_bytes = 64 << 10;

// Bits that vary the work on an input. They depend on its bytes, so the same input always takes the same path.
inline std::uint32_t variant_of(std::string_view bytes) {
  std::uint32_t h = 2166136261U;
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 16777619U;
  return h ^ h >> 16;
}

// Returns the ranks in ascending order; nothing for a set that is too large for a quick run. `text`: JSON lines.
inline std::vector<Trace> read_set(std::string_view text) {
  constexpr std::size_t max_nodes = 2000;
  constexpr std::size_t max_ranks = 64;
  const auto input = memory_input("fuzz.jsonl", text);
  const FormatOptions options;
  Diagnostics diagnostics;
  const auto reader = find_format("jsonl").read({*input, std::nullopt, options, diagnostics});
  std::vector<Trace> traces;
  std::size_t nodes = 0;
  for (Trace trace; reader->next_rank(trace); trace = {}) {
    read_nodes(*reader, trace);
    nodes += trace.nodes.nodes.size();
    traces.push_back(std::move(trace));
    if (nodes > max_nodes || traces.size() > max_ranks) return {};
  }
  std::stable_sort(traces.begin(), traces.end(), [](const Trace& a, const Trace& b) { return a.rank < b.rank; });
  return traces;
}

inline Algorithm read_msccl_text(std::string_view text, Diagnostics& diagnostics) {
  return find_format("msccl").read_algorithm(std::string(text), "fuzz.xml", diagnostics);
}

inline std::vector<Trace> lowered(const Algorithm& algorithm, std::optional<std::int64_t> size) {
  Diagnostics diagnostics;
  const Lowering lowering(algorithm, size, diagnostics);
  std::vector<Trace> traces(algorithm.gpus.size());
  for (std::size_t r = 0; r < traces.size(); ++r) {
    traces[r].name = algorithm.file;
    lowering.lower(static_cast<Rank>(r), traces[r]);
  }
  return traces;
}

}  // namespace convert::fuzzing
