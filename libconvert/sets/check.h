// SPDX-License-Identifier: MIT
// Validates whatever a source holds: the rules on traces, on sets, and on collective algorithms.
#pragma once

#include <optional>

#include "core/algorithm/algorithm.h"
#include "core/diagnostic.h"
#include "passes/validate.h"
#include "sets/set_source.h"

namespace convert {

struct CheckOptions {
  RuleSet rules = RuleSet::all();
  bool dataflow = false;                 // prove what the collective computes
  std::optional<Collective> collective;  // instead of what the input says
  unsigned jobs = 1;
};

// Reports all findings of the enabled rules, those of one rank before those of the next, then those of the set. The
// diagnostics should want the same rules, and framing: what readers report does not pass through `options`.
// A rank that cannot be read is a finding of rule framing; the rules across ranks are left out then.
// Returns the number of ranks read.
std::size_t check(SetSource& source, const CheckOptions& options, Diagnostics& diagnostics);

// The groups of a set of so many ranks, if that is known; nothing if it has none, or none that can be read.
// `defect`: what is wrong with them; groups that name ranks that the set lacks are still of use.
[[nodiscard]] std::optional<GroupLists> group_lists(const SetSource& source, std::optional<Rank> ranks,
                                                    std::optional<Error>& defect);

// Reports an Error(input) that kept something from being read, whatever rules are wanted; throws others on.
void report_unreadable(const Error& error, Diagnostics& diagnostics);

// Framing and ids only, in one pass that keeps nothing but ranges of ids.
std::size_t check_quickly(SetSource& source, Diagnostics& diagnostics);

}  // namespace convert
