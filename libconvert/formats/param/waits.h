// SPDX-License-Identifier: MIT
// Matching of the waits of a PARAM communications trace with the operations they wait for.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/param/entries.h"

namespace convert {

struct ParamWaits {
  std::vector<std::uint32_t> of_wait;   // by entry: operation of a wait; else no_index
  std::vector<std::uint32_t> of_batch;  // by entry: batch_isend_irecv of a batched message; else no_index
  std::vector<std::uint32_t> wait_of;   // by entry: wait for the operation; else no_index
  std::uint64_t idle = 0;               // number of waits for an operation that is not running
  std::uint32_t first_idle = no_index;
};

// A wait refers to the latest operation with its request; a wait without a request, to the latest operation with
// one. In files without any requests, waits refer to the operations in order.
[[nodiscard]] ParamWaits find_param_waits(const ParamFile& file);

}  // namespace convert
