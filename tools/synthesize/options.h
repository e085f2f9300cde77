// SPDX-License-Identifier: MIT
// Options of et-synthesize.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/options.h"

namespace tools {

struct SynthesizeOptions {
  std::vector<std::string> operands;
  OutputOptions output;
  std::int64_t seed = 1;
  std::optional<std::int64_t> iterations;
  std::optional<std::string> scale;
  bool mix = false;
  std::optional<std::int64_t> cluster;
};

void declare_synthesize(App& app, SynthesizeOptions& to);

}  // namespace tools
