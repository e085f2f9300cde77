// SPDX-License-Identifier: MIT
// What the fuzz targets of readers with a window share: through windows of any size a file reads the same, and one
// that is refused through one of them is refused through all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "read_all.h"
#include "trace_fuzzing.h"

namespace convert::fuzzing {

// outcome(input, window): all that was read, or the error with its place.
template <class Outcome>
void check_windows(std::string_view bytes, const Outcome& outcome) {
  const auto through = [&](std::size_t window) {
    const auto input = memory_input("f", bytes);
    return outcome(*input, window);
  };
  const auto refused = [](const std::string& text) { return text.starts_with("f:"); };
  const std::string all = through(std::size_t{1} << 20U);
  for (const std::size_t window : {1, 64}) {
    const std::string one = through(window);
    check(refused(all) ? refused(one) : one == all, "a trace reads differently through a small window");
  }
}

}  // namespace convert::fuzzing
