// SPDX-License-Identifier: MIT
// Algorithms for several collectives that run at once: for several groups (--group '0-3;4-7'), and for other
// collectives (--also).
#pragma once

#include "common/tool.h"
#include "config/network/network.h"
#include "generate/options.h"
#include "synthesis/portfolio.h"
#include "synthesis/problem.h"

namespace tools {

// Returns whether more than one collective is requested.
[[nodiscard]] bool asks_for_several(const GenerateOptions& o);

// Returns whether one collective, with these options, can be made like several collectives: NPUs outside its group
// only forward messages.
[[nodiscard]] bool can_be_placed(const GenerateOptions& o);

// Writes traces with all collectives, or a file for each; or prints the result of --bound. `first`: the first
// collective; its --group is ignored. Throws Error.
void generate_together(const GenerateOptions& o, const convert::NetworkConfig& network,
                       const convert::SynthesisRequest& first, const convert::SynthesisChoice& choice,
                       Context& context);

}  // namespace tools
