// SPDX-License-Identifier: MIT
// Tells bounds of a collective, with the devices that are to blame.
#pragma once

#include <span>
#include <string>

#include "synthesis/bounds/bounds.h"
#include "synthesis/problem.h"

namespace convert {

// Returns "NPUs 0-3, 8, switch0", shortened where there are many.
[[nodiscard]] std::string devices_text(const WireGraph& wires, std::span<const Device> devices);

// Returns what the bounds are, and where, for people: a line, of an all-reduce with a line for each of its three.
[[nodiscard]] std::string bounds_text(const SynthesisProblem& problem, const Bounds& bounds);

// Returns all of it as a document of JSON, so that anyone can add it up: of each bound the devices of the cut and
// the links out of it.
[[nodiscard]] std::string bounds_json(const SynthesisProblem& problem, const Bounds& bounds);

}  // namespace convert
