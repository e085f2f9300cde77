// SPDX-License-Identifier: MIT
// Validates a source: the rules on traces, on sets, and on collective algorithms.
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

// Proof, by following each chunk, that collectives compute their results. told: only with provenance; a result that
// cannot be proved is a note. required: a result that cannot be proved is an error.
enum class DataFlow : std::uint8_t { skipped, told, required };

struct CheckOptions {
  RuleSet rules = RuleSet::all();
  DataFlow dataflow = DataFlow::skipped;
  std::optional<Collective> collective;   // to prove, instead of the collective of the input
  const RuntimeLimits* target = nullptr;  // see VerifyOptions::target
  unsigned jobs = 1;
};

// Describes what was checked.
struct CheckSummary {
  std::size_t ranks = 0;     // that were read
  std::uint64_t nodes = 0;   // of traces
  std::uint64_t steps = 0;   // of the algorithm; 0: there is none
  std::uint64_t merged = 0;  // collectives merged into the workload
  Verdict verdict{};         // on the whole input; nothing is proved if data flow is skipped
};

// Reports the findings of the enabled rules, rank by rank, then those of the whole set. The diagnostics' filter
// must take the same rules and framing, since readers report without `options`. A rank that cannot be read is a
// finding of rule framing; check() then leaves out the rules across ranks.
CheckSummary check(SetSource& source, const CheckOptions& options, Diagnostics& diagnostics);

// Returns the verdict of check() with DataFlow::required. `diagnostics` may hold findings of reading the source,
// which count.
[[nodiscard]] Verdict prove(SetSource& source, CheckOptions options, Diagnostics& diagnostics);

// Returns the process groups of a groups file or a set; nothing if there are none, or if they are malformed, which
// sets `defect`. Groups with ranks from `ranks` on, if that is known, are returned and set `defect`.
[[nodiscard]] std::optional<GroupLists> group_lists(const std::optional<InputSet::Groups>& file,
                                                    std::optional<Rank> ranks, std::optional<Error>& defect);
[[nodiscard]] inline std::optional<GroupLists> group_lists(const SetSource& source, std::optional<Rank> ranks,
                                                           std::optional<Error>& defect) {
  return group_lists(source.groups(), ranks, defect);
}

// Reports an Error(input) that stopped reading, whatever rules are enabled; rethrows other errors.
void report_unreadable(const Error& error, Diagnostics& diagnostics);

// Checks only framing and ids, in one pass that keeps only ranges of ids; returns the number of ranks read.
std::size_t check_quickly(SetSource& source, Diagnostics& diagnostics);

}  // namespace convert
