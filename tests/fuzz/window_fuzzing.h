// SPDX-License-Identifier: MIT
// Helpers for fuzz targets of readers with a window: for any window size, a file gives the same result, or is
// rejected.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "read_all.h"
#include "trace_fuzzing.h"

namespace convert::fuzzing {

// outcome(input, window): all data that was read, or the error with its location.
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
