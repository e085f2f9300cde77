// SPDX-License-Identifier: MIT
// Declares the options of --algorithm synthesized, and makes what they ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/tool.h"
#include "sets/synthesized/synthesized.h"

namespace tools {

struct GenerateOptions;

struct SynthesisOptions {
  std::optional<std::string> network;
  std::vector<std::string> failed;  // links
  std::optional<std::string> group;
  bool group_only = false;
  std::string occupancy = "beta";
  std::vector<std::string> methods;
  std::string effort = "normal";
  std::int64_t most_pieces = 64;
  bool bound = false;
  std::optional<std::string> format;
};

void add_synthesis_options(App& app, SynthesisOptions& to);

// Returns whether --algorithm is synthesized: an algorithm that is made for a network.
[[nodiscard]] bool is_synthesized(const GenerateOptions& o);

// Prints the bounds of a collective with --bound, and returns nothing; else returns its algorithm. Throws Error.
[[nodiscard]] std::optional<convert::SynthesizedAlgorithm> synthesize(const GenerateOptions& o, Context& context);

}  // namespace tools
