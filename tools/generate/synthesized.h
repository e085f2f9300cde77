// SPDX-License-Identifier: MIT
// Declares the options of --algorithm synthesized, and makes what they ask for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/tool.h"

namespace tools {

struct GenerateOptions;

struct SynthesisOptions {
  std::optional<std::string> network;
  std::vector<std::string> failed;  // links
  std::optional<std::string> group;
  bool group_only = false;
  std::string occupancy = "beta";
  bool bound = false;
  std::optional<std::string> format;
};

void add_synthesis_options(App& app, SynthesisOptions& to);

// Returns whether --algorithm is synthesized: an algorithm that is made for a network.
[[nodiscard]] bool is_synthesized(const GenerateOptions& o);

// Prints the bounds of a collective. Returns the exit status. Throws Error.
[[nodiscard]] int synthesize(const GenerateOptions& o, Context& context);

}  // namespace tools
