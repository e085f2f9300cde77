// SPDX-License-Identifier: MIT
// Reads the profiles of et-synthesize and chooses one profile.
#pragma once

#include <string>

#include "profile/workload_profile.h"
#include "synthesize/options.h"

namespace tools {

struct ChosenProfile {
  convert::WorkloadProfile profile{};
  std::string name{};  // of the set to make: the file name without suffixes
};

// Throws Error(usage) if there are several profiles and the options choose none, or if --cluster exceeds their
// number.
[[nodiscard]] ChosenProfile choose_profile(const SynthesizeOptions& o);

}  // namespace tools
