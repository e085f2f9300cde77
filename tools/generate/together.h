// SPDX-License-Identifier: MIT
// Makes algorithms for several collectives that run at once: of several groups (--group '0-3;4-7'), and others
// beside them (--also).
#pragma once

#include "common/tool.h"
#include "config/network/network.h"
#include "generate/options.h"
#include "synthesis/portfolio.h"
#include "synthesis/problem.h"

namespace tools {

// Returns whether more than one collective is asked for.
[[nodiscard]] bool asks_for_several(const GenerateOptions& o);

// Returns whether one collective, with these options, can be made as several are: NPUs that do not take part only
// pass messages on.
[[nodiscard]] bool can_be_placed(const GenerateOptions& o);

// Writes traces that have all of them, or a file for each; or prints what --bound asks for. `first`: the collective
// that is named first, of which --group is not looked at. Throws Error.
void generate_together(const GenerateOptions& o, const convert::NetworkConfig& network,
                       const convert::SynthesisRequest& first, const convert::SynthesisChoice& choice,
                       Context& context);

}  // namespace tools
