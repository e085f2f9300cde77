// SPDX-License-Identifier: MIT
// Counts nodes that a replay gives no time because their trace states none.
#pragma once

#include <cstdint>

#include "core/diagnostic.h"

namespace convert {

struct UntimedNodes {
  std::uint64_t communication = 0;  // nodes without a recorded duration, in a replay of recorded communication
  std::uint64_t computation = 0;  // COMP nodes of an NPU with operations, without a duration and without a roofline

  UntimedNodes& operator+=(const UntimedNodes& other) {
    communication += other.communication;
    computation += other.computation;
    return *this;
  }
  [[nodiscard]] UntimedNodes since(const UntimedNodes& before) const {
    return {communication - before.communication, computation - before.computation};
  }
};

// Adds one warning [times] for each kind of node, for all ranks together.
void warn_of_untimed(const UntimedNodes& nodes, Diagnostics& diagnostics);

}  // namespace convert
