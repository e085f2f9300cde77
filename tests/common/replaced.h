// SPDX-License-Identifier: MIT
// Replaces substrings of texts.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace convert::test {

// Replaces the first `from`, which must exist.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Replaces every `from`; `to` must not contain it.
inline std::string all_replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from)) != std::string::npos;) text.replace(at, from.size(), to);
  return text;
}

}  // namespace convert::test
