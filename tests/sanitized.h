// SPDX-License-Identifier: MIT
// Reduces the number of cases in tests with very many, as sanitizers make each several times slower.
#pragma once

namespace convert::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // g++
inline constexpr bool sanitized = true;
#elif defined(__has_feature)  // clang
inline constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

template <class Integer>
constexpr Integer rounds(Integer all) {
  return sanitized ? all / 8 : all;
}

}  // namespace convert::test
