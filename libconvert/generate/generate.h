// SPDX-License-Identifier: MIT
// Synthetic traces by kind: single nodes, patterns, data-parallel layers, random graphs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"

namespace convert {

// What a kind can be told; a bit set in TraceKind::options.
enum class GenerateOption : std::uint16_t {
  compute = 1,
  backward = 2,
  size = 4,
  comm = 8,
  layers = 16,
  iterations = 32,
  count = 64,
  chained = 128,
  seed = 256,
};

struct TraceKind {
  std::string_view name;            // "node:comp"
  std::string_view reference_case;  // of Chakra's generator, "one_comp_node"; empty: it has none
  unsigned options = 0;
  std::string_view summary;

  [[nodiscard]] bool takes(GenerateOption o) const { return (options & static_cast<unsigned>(o)) != 0; }
};
// In the order of kinds.def, which is that of Chakra's generator where it has the case.
[[nodiscard]] std::span<const TraceKind> trace_kinds();
// By name or by reference case; null if there is none.
[[nodiscard]] const TraceKind* find_trace_kind(std::string_view name);

struct GeneratedCollective {
  Collective type = Collective::all_reduce;
  std::int64_t bytes = 0;  // comm_size
};
// "all_reduce:64MiB"; "barrier" has no size. Throws Error(usage).
[[nodiscard]] GeneratedCollective parse_generated_collective(std::string_view text);

// What is not given has the default that kinds.def tells.
struct GenerateRequest {
  std::string kind;
  Rank ranks = 2;
  std::optional<std::uint64_t> compute_ns{};
  std::optional<std::uint64_t> backward_ns{};
  std::optional<std::int64_t> size{};  // bytes
  std::vector<GeneratedCollective> comm{};
  std::optional<std::int64_t> layers{};
  std::optional<std::int64_t> iterations{};
  std::optional<std::int64_t> count{};
  std::optional<bool> chained{};
  std::optional<std::uint64_t> seed{};
  // Byte for byte what Chakra's generator writes in one run over all its cases for so many ranks: ids run on over
  // cases and ranks. Only of kinds with a reference case; such traces are not all valid.
  bool like_reference = false;
};

// Makes the trace of a rank; may be called for any rank < ranks, by several threads.
using MakeTrace = std::function<Trace(Rank)>;
// Throws Error(usage) for unknown kinds, options that the kind does not take, and values out of range.
[[nodiscard]] MakeTrace trace_generator(const GenerateRequest& request);

}  // namespace convert
