// SPDX-License-Identifier: MIT
// What is thrown, as text to compare, with expectations of what kind of error it is.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "common/error_text.h"

namespace convert::test {

// The Error that `run` throws; a failure of the test if it throws none.
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

// Returns a run that does the same, and expects of the Error it throws what `expect` does.
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

// As error_text(run); what is thrown is of this kind.
template <class Run>
std::string error_text(const Run& run, Error::Kind kind) {
  return error_text(expecting(run, is_of_kind(kind)));
}

// As error_text(run); what is thrown is bad input by this rule.
template <class Run>
std::string error_text(const Run& run, std::string_view rule) {
  return error_text(expecting(run, [rule](const Error& error) {
    EXPECT_EQ(error.rule(), rule);
    EXPECT_EQ(error.kind(), Error::Kind::input);
  }));
}

// As error_message(run); what is thrown is of this kind.
template <class Run>
std::string error_message(const Run& run, Error::Kind kind) {
  return error_message(expecting(run, is_of_kind(kind)));
}

}  // namespace convert::test
