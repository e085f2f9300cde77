// SPDX-License-Identifier: MIT
#include "util/log.h"

#include <gtest/gtest.h>

namespace convert {
namespace {

TEST(Log, LevelsAndPrefix) {
  const auto shown = [](int level) {
    ::testing::internal::CaptureStderr();
    set_log_level(level);
    log_note("unusual");
    log_info("settings");
    log_debug("detail");
    set_log_level(0);
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(shown(-1), "");
  EXPECT_EQ(shown(0), "note: unusual\n");
  EXPECT_EQ(shown(1), "note: unusual\nsettings\n");
  set_log_prefix("et-convert");
  EXPECT_EQ(shown(2), "et-convert: note: unusual\net-convert: settings\net-convert: detail\n");
}

}  // namespace
}  // namespace convert
