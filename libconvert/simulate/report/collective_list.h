// SPDX-License-Identifier: MIT
// The collectives of a replay, one for each time that a group runs one.
#pragma once

#include <vector>

#include "simulate/engine/collective_exposure.h"
#include "simulate/engine/replay.h"
#include "simulate/symmetry/symmetry.h"
#include "simulate/system/layer.h"

namespace convert {

// In the order of their begin, at the same time of the NPUs that called first. With `equivalence` the program is a
// reduced one, and the list is that of all ranks.
[[nodiscard]] std::vector<CollectiveResult> list_collectives(const ReplayProgram& program,
                                                             const SystemLayer& system,
                                                             const CollectiveExposure& exposure,
                                                             const Equivalence* equivalence);

}  // namespace convert
