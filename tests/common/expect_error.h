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

// As error_text(run); what is thrown is of this kind.
template <class Run>
std::string error_text(const Run& run, Error::Kind kind) {
  return error_text([&] {
    try {
      run();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      throw;
    }
  });
}

// As error_text(run); what is thrown is bad input by this rule.
template <class Run>
std::string error_text(const Run& run, std::string_view rule) {
  return error_text(
      [&] {
        try {
          run();
        } catch (const Error& error) {
          EXPECT_EQ(error.rule(), rule);
          throw;
        }
      },
      Error::Kind::input);
}

// As error_message(run); what is thrown is of this kind.
template <class Run>
std::string error_message(const Run& run, Error::Kind kind) {
  return error_message([&] {
    try {
      run();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      throw;
    }
  });
}

}  // namespace convert::test
