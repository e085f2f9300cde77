// SPDX-License-Identifier: MIT
// Suppresses output of libraries on standard error in a test.
#pragma once

#include <gtest/gtest.h>

class QuietStderr {
 public:
  QuietStderr() { ::testing::internal::CaptureStderr(); }
  ~QuietStderr() { (void)::testing::internal::GetCapturedStderr(); }
  QuietStderr(const QuietStderr&) = delete;
  QuietStderr& operator=(const QuietStderr&) = delete;
};
