// SPDX-License-Identifier: MIT
// Errors as text to compare, with expectations of the kind of error.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "common/error_text.h"

namespace convert::test {

// Returns the Error that `run` throws; the test fails if it throws no Error.
template <class Run>
Error thrown_error(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no Error was thrown";
  return Error("none");
}

// Returns a function that runs `run` and calls `expect` for the Error that it throws.
template <class Run, class Expect>
auto expecting(const Run& run, Expect expect) {
  return [&run, expect] {
    try {
      run();
    } catch (const Error& error) {
      expect(error);
      throw;
    }
  };
}

inline auto is_of_kind(Error::Kind kind) {
  return [kind](const Error& error) { EXPECT_EQ(error.kind(), kind); };
}

// As error_text(run); expects an error of this kind.
template <class Run>
std::string error_text(const Run& run, Error::Kind kind) {
  return error_text(expecting(run, is_of_kind(kind)));
}

// As error_text(run); expects an input error with this rule.
template <class Run>
std::string error_text(const Run& run, std::string_view rule) {
  return error_text(expecting(run, [rule](const Error& error) {
    EXPECT_EQ(error.rule(), rule);
    EXPECT_EQ(error.kind(), Error::Kind::input);
  }));
}

// As error_message(run); expects an error of this kind.
template <class Run>
std::string error_message(const Run& run, Error::Kind kind) {
  return error_message(expecting(run, is_of_kind(kind)));
}

}  // namespace convert::test
