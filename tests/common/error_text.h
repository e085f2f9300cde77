// SPDX-License-Identifier: MIT
// Errors as text to compare. Also for fuzz targets, so without GoogleTest; expect_error.h has more for tests.
#pragma once

#include <string>

#include "core/diagnostic.h"

namespace convert::test {

// Returns "FILE:LINE:COLUMN: message", with the known parts of the location.
inline std::string text_of(const Error& error) { return format_location(error.where()) + ": " + error.what(); }

// Returns the text of the Error that `run` throws, with its location; "" if it throws no Error.
template <class Run>
std::string error_text(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    return text_of(error);
  }
  return "";
}

// Returns only the message of the Error that `run` throws; "" if it throws no Error.
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
