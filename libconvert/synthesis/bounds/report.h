// SPDX-License-Identifier: MIT
// Reports bounds of a collective, with the limiting devices.
#pragma once

#include <span>
#include <string>

#include "synthesis/bounds/bounds.h"
#include "synthesis/problem.h"

namespace convert {

// Returns "NPUs 0-3, 8, switch0", shortened if there are many.
[[nodiscard]] std::string devices_text(const WireGraph& wires, std::span<const Device> devices);

// Returns the bounds and their locations as text: one line; for an all-reduce, also a line for each of its three.
[[nodiscard]] std::string bounds_text(const SynthesisProblem& problem, const Bounds& bounds);

// Returns the bounds as a JSON document with all data needed to recompute them: for each bound, the devices of the
// cut and the links out of it.
[[nodiscard]] std::string bounds_json(const SynthesisProblem& problem, const Bounds& bounds);

}  // namespace convert
