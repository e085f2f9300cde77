// SPDX-License-Identifier: MIT
// Reads the profiles that et-synthesize is given, and takes one of them.
#pragma once

#include <string>

#include "profile/workload_profile.h"
#include "synthesize/options.h"

namespace tools {

struct ChosenProfile {
  convert::WorkloadProfile profile{};
  std::string name{};  // of the set that is made of it: that of the file, without its suffixes
};

// Throws Error(usage) if several profiles are there and the options do not say which, or more than are there.
[[nodiscard]] ChosenProfile choose_profile(const SynthesizeOptions& o);

}  // namespace tools
