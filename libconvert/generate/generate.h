// SPDX-License-Identifier: MIT
// Generates synthetic traces by kind: single nodes, patterns, data-parallel layers, random graphs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"
#include "generate/noise.h"

namespace convert {

// Options that a kind may accept: bits of TraceKind::options.
enum class GenerateOption : std::uint16_t {
  none = 0,
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
[[nodiscard]] constexpr GenerateOption operator|(GenerateOption a, GenerateOption b) {
  return static_cast<GenerateOption>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

struct TraceKind {
  std::string_view name;            // "node:comp"
  std::string_view reference_case;  // name in Chakra's generator, "one_comp_node"; empty: not in Chakra
  GenerateOption options = GenerateOption::none;
  std::string_view summary;

  [[nodiscard]] bool takes(GenerateOption o) const { return (options | o) == options; }
};
// Returns all kinds in the order of kinds.def.
[[nodiscard]] std::span<const TraceKind> trace_kinds();
// Returns the kind with this name or reference case, or null.
[[nodiscard]] const TraceKind* find_trace_kind(std::string_view name);

struct GeneratedCollective {
  Collective type = Collective::all_reduce;
  std::int64_t bytes = 0;  // comm_size
};
// Parses "all_reduce:64MiB"; "barrier" has no size. Throws Error(usage).
[[nodiscard]] GeneratedCollective parse_generated_collective(std::string_view text);

// A kind and its options; missing options have the defaults of kinds.def.
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
  std::optional<Noise> noise{};  // for kinds with a compute time
  // Reproduces the output of Chakra's generator for all its cases and this number of ranks byte for byte: ids
  // continue from case to case and rank to rank. Only for kinds with a reference case; some of these traces are
  // invalid.
  bool like_reference = false;
};

// Makes the trace of a rank below `ranks`. Thread-safe.
using MakeTrace = std::function<Trace(Rank)>;
// Returns the generator for a request. Throws Error(usage) for an unknown kind, an option that the kind does not
// have, and a value out of range.
[[nodiscard]] MakeTrace trace_generator(const GenerateRequest& request);

}  // namespace convert
