// SPDX-License-Identifier: MIT
#include "util/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace convert {
namespace {

// Output on standard error of `adds` additions of one unit each, with a pause before each.
std::string shown(bool enabled, std::uint64_t total, int adds, std::chrono::milliseconds pause) {
  ::testing::internal::CaptureStderr();
  {
    Progress progress("read", total, enabled);
    for (int i = 0; i < adds; ++i) {
      std::this_thread::sleep_for(pause);
      progress.add(1);
    }
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(Progress, SilentIfDisabledOrShort) {
  EXPECT_EQ(shown(false, 2, 2, std::chrono::milliseconds(120)), "");
  EXPECT_EQ(shown(true, 1000, 3, std::chrono::milliseconds(0)), "");
}

TEST(Progress, PaintsAndWipes) {
  EXPECT_EQ(shown(true, 4, 2, std::chrono::milliseconds(120)), "\r\x1b[Kread: 25 %\r\x1b[Kread: 50 %\r\x1b[K");
  EXPECT_EQ(shown(true, 0, 1, std::chrono::milliseconds(120)), "\r\x1b[Kread: 1\r\x1b[K");
}

TEST(Progress, ClearWipesOnce) {
  ::testing::internal::CaptureStderr();
  Progress progress("read", 1, true);
  progress.clear();
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  progress.add(5);
  progress.clear();
  progress.clear();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "\r\x1b[Kread: 100 %\r\x1b[K");
}

TEST(Progress, AtMostTenRepaintsASecondFromAnyThreads) {
  ::testing::internal::CaptureStderr();
  {
    Progress progress("read", 1'000'000, true);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(450);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        while (std::chrono::steady_clock::now() < end) progress.add(1);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_GE(std::count(text.begin(), text.end(), '%'), 1);
  EXPECT_LE(std::count(text.begin(), text.end(), '%'), 5);
}

}  // namespace
}  // namespace convert
