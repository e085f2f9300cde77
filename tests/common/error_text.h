// SPDX-License-Identifier: MIT
// What is thrown, as text to compare. For fuzz targets too, so without GoogleTest; expect_error.h has more for
// tests.
#pragma once

#include <string>

#include "core/diagnostic.h"

namespace convert::test {

// "FILE:LINE:COLUMN: message", as much of the place as is known.
inline std::string text_of(const Error& error) { return format_location(error.where()) + ": " + error.what(); }

// The text of the Error that `run` throws, with its place; "" if it throws none.
template <class Run>
std::string error_text(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    return text_of(error);
  }
  return "";
}

// The message alone of the Error that `run` throws; "" if it throws none.
template <class Run>
std::string error_message(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace convert::test
