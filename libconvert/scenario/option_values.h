// SPDX-License-Identifier: MIT
// Parses option values that are also values of sweep keys: stragglers, rules for collectives.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/trace.h"
#include "simulate/program/program.h"

namespace convert {

// Returns true for true, 1, on, yes, True, t, T; false for false, 0, off, no, False, f, F; nothing for other text.
[[nodiscard]] std::optional<bool> parse_truth(std::string_view text);

// Returns a number from 0 to 1e9; nothing for other text.
[[nodiscard]] std::optional<double> parse_scale(std::string_view text);

// Adds a straggler such as "3=1.5x". Throws Error(input) without a position.
void add_straggler(const std::string& text, std::map<Rank, double>& to);
// Adds work that takes no time: "compute", or collectives such as "all_reduce:pg=3". Throws Error(input) without a
// position.
void add_free(const std::string& text, FreeWork& to);
// Parses a rule: "all_reduce:pg=3:size>=1MiB=astra:ring+direct" (one native algorithm per dimension),
// "…=NAME,KEY=VALUE…" (of the library), "…=synthesized,KEY=VALUE…", or "…=PATH", which need not exist. Throws
// Error(input) without a position.
[[nodiscard]] SystemRule parse_system_rule(const std::string& text);

// Returns the name of an algorithm that etkit makes, "built:NAME,KEY=VALUE…", from the text after "built:". Throws
// Error(usage) if the text is malformed, unknown, or not for `collective`, if given.
[[nodiscard]] std::string made_algorithm(const std::string& text, std::optional<Collective> collective);

// Return names of collectives and algorithms in printed form: "ring+halving_doubling" for "Ring+halvingDoubling".
// Other text is unchanged.
[[nodiscard]] std::string usual_algorithms(const std::string& text);
[[nodiscard]] std::string usual_collective_rule(const std::string& text);

}  // namespace convert
