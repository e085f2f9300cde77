// SPDX-License-Identifier: MIT
// Algorithms that are synthesized for a network: the options of --algorithm synthesized, and the output.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/tool.h"
#include "core/algorithm/algorithm.h"

namespace tools {

struct GenerateOptions;

struct SynthesisOptions {
  std::optional<std::string> network;
  std::vector<std::string> failed;  // links
  std::vector<std::string> avoid;   // links and devices
  std::vector<std::string> only;
  std::optional<std::string> group;
  std::vector<std::string> also;
  bool group_only = false;
  std::string occupancy = "beta";
  std::optional<std::string> forwarding;  // default: switches, unless the output requires store
  std::vector<std::string> methods;
  std::string effort = "normal";
  std::string objective = "time";
  std::optional<std::int64_t> time_limit_ps;
  std::optional<std::int64_t> most_pieces;
  std::optional<std::string> target;
  bool bound = false;
};

void add_synthesis_options(App& app, SynthesisOptions& to);

// Returns whether --algorithm is synthesized: an algorithm made for a network.
[[nodiscard]] bool is_synthesized(const GenerateOptions& o);

// Writes the algorithm, one for each size; or prints the result of --bound or --show. `watch` gets each algorithm
// before it is written. Throws Error.
void generate_synthesized(const GenerateOptions& o, Context& context,
                          const std::function<void(const convert::Algorithm&)>& watch = {});

}  // namespace tools
