// SPDX-License-Identifier: MIT
// Keeps what libraries say on standard error out of a test's output.
#pragma once

#include <gtest/gtest.h>

class QuietStderr {
 public:
  QuietStderr() { ::testing::internal::CaptureStderr(); }
  ~QuietStderr() { (void)::testing::internal::GetCapturedStderr(); }
  QuietStderr(const QuietStderr&) = delete;
  QuietStderr& operator=(const QuietStderr&) = delete;
};
