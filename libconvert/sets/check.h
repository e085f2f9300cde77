// SPDX-License-Identifier: MIT
// Validates a source by the rules for traces, sets and collective algorithms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/runtime_limits.h"
#include "core/diagnostic.h"
#include "passes/validate.h"
#include "passes/verify/verdict.h"
#include "sets/set_source.h"

namespace convert {

// Proof, by symbolic execution, that collectives compute their results. told: only with chunk provenance; an
// unproved result is a note. required: an unproved result is an error.
enum class DataFlow : std::uint8_t { skipped, told, required };

struct CheckOptions {
  RuleSet rules = RuleSet::all();
  DataFlow dataflow = DataFlow::skipped;
  std::optional<Collective> collective;   // collective to prove, instead of the input's
  const RuntimeLimits* target = nullptr;  // see VerifyOptions::target
  unsigned jobs = 1;
};

// Summary of a check.
struct CheckSummary {
  std::size_t ranks = 0;     // ranks read
  std::uint64_t nodes = 0;   // nodes of traces
  std::uint64_t steps = 0;   // steps of the algorithm; 0: no algorithm
  std::uint64_t merged = 0;  // collectives merged into the workload
  Verdict verdict{};         // for the whole input; nothing is proved if data flow is skipped
};

// Reports the findings of the enabled rules, rank by rank, then the findings of the whole set. The diagnostics'
// filter must accept the same rules and framing, because readers report without `options`. An unreadable rank is a
// finding of rule framing; check() then skips the rules across ranks.
CheckSummary check(SetSource& source, const CheckOptions& options, Diagnostics& diagnostics);

// Returns the verdict of check() with DataFlow::required. Findings that `diagnostics` already contains from reading
// the source count.
[[nodiscard]] Verdict prove(SetSource& source, CheckOptions options, Diagnostics& diagnostics);

// Returns the process groups of a groups file or a set; nothing if there are none, or if they are malformed, which
// sets `defect`. Groups with ranks that are not below `ranks`, if known, are returned and set `defect`.
[[nodiscard]] std::optional<GroupLists> group_lists(const std::optional<InputSet::Groups>& file,
                                                    std::optional<Rank> ranks, std::optional<Error>& defect);
[[nodiscard]] inline std::optional<GroupLists> group_lists(const SetSource& source, std::optional<Rank> ranks,
                                                           std::optional<Error>& defect) {
  return group_lists(source.groups(), ranks, defect);
}

// Reports an Error(input) that stopped reading, independent of the enabled rules; rethrows other errors.
void report_unreadable(const Error& error, Diagnostics& diagnostics);

// Checks only framing and ids, in one pass that stores only ranges of ids; returns the number of ranks read.
std::size_t check_quickly(SetSource& source, Diagnostics& diagnostics);

}  // namespace convert
