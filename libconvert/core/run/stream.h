// SPDX-License-Identifier: MIT
// The device stream that a node ran on.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "core/attr_names.h"
#include "core/trace.h"

namespace convert {

// Returns the stream in a node's attributes; -1 if it is absent.
[[nodiscard]] inline std::int32_t stream_of(std::span<const Attr> attributes) {
  const IntValue stream = int_value(attributes, attr::stream);
  const bool good = stream && stream.value >= 0 && stream.value <= std::numeric_limits<std::int32_t>::max();
  return good ? static_cast<std::int32_t>(stream.value) : -1;
}

}  // namespace convert
