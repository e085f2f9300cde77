// SPDX-License-Identifier: MIT
// Reads values of options that are also keys of a sweep: stragglers, rules for collectives.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/trace.h"
#include "simulate/program/program.h"

namespace convert {

// Returns what true, 1, on, yes, True, t, T say, and false, 0, off, no, False, f, F; nothing for other text.
[[nodiscard]] std::optional<bool> parse_truth(std::string_view text);

// Returns a number from 0 to 1e9; nothing for other text.
[[nodiscard]] std::optional<double> parse_scale(std::string_view text);

// Adds a straggler such as "3=1.5x". Throws Error(input) without a place.
void add_straggler(const std::string& text, std::map<Rank, double>& to);
// Adds what takes no time: "compute", or collectives such as "all_reduce:pg=3". Throws Error(input) without a
// place.
void add_free(const std::string& text, FreeWork& to);
// Reads a rule: "all_reduce:pg=3:size>=1MiB=astra:ring+direct", one native algorithm a
// dimension, "…=NAME,KEY=VALUE…" of the library, "…=synthesized,KEY=VALUE…", or "…=PATH", which need not exist.
// Throws Error(input) without a place.
[[nodiscard]] SystemRule parse_system_rule(const std::string& text);

// Returns the name by which a system knows an algorithm that etkit makes, "built:NAME,KEY=VALUE…", of its text
// behind "built:". Throws Error(usage) if it is malformed, unknown, or not for `collective`, if that is given.
[[nodiscard]] std::string made_algorithm(const std::string& text, std::optional<Collective> collective);

// Return names of collectives and algorithms as we print them: "ring+halving_doubling" for "Ring+halvingDoubling".
// Other text stays as it is.
[[nodiscard]] std::string usual_algorithms(const std::string& text);
[[nodiscard]] std::string usual_collective_rule(const std::string& text);

}  // namespace convert
