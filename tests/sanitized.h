// SPDX-License-Identifier: MIT
// Fewer cases of the tests that make very many, where sanitizers make each several times as slow.
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
