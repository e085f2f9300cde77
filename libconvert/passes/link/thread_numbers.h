// SPDX-License-Identifier: MIT
// Determines PyTorch's numbers of CPU threads for threads of a profile that the host trace does not name.
#pragma once

#include <cstdint>
#include <vector>

#include "core/profile.h"

namespace convert {

// Replaces each -1 in `numbers` (by Profile::threads) by a unique positive number. "Fwd thread id" of backward
// operators names the thread of their forward operators, which have the same sequence numbers. Other threads get
// the lowest unused numbers. Backward operators at the head of a fwdbwd arrow that lack "Fwd thread id" get the
// number of the arrow's first thread.
void number_threads(Profile& device, std::vector<std::int64_t>& numbers);

}  // namespace convert
