// SPDX-License-Identifier: MIT
// Finds which operation each wait of a communications trace of PARAM waits for.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/param/entries.h"

namespace convert {

struct ParamWaits {
  std::vector<std::uint32_t> of_wait;   // by entry: what it waits for; no_index if that is nothing, or no wait
  std::vector<std::uint32_t> of_batch;  // by entry: of a message of a batch its batch_isend_irecv; else no_index
  std::vector<std::uint32_t> wait_of;   // by entry: the wait that names it; else no_index
  std::uint64_t idle = 0;               // waits that name no operation which still runs
  std::uint32_t first_idle = no_index;
};

// A wait names the last operation with its request; without a request the last one that had one. In files without
// any requests the waits name the operations in their order.
[[nodiscard]] ParamWaits find_param_waits(const ParamFile& file);

}  // namespace convert
