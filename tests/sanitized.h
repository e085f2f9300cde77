// SPDX-License-Identifier: MIT
// Fewer cases of the tests that make very many, where sanitizers make each several times as slow.
#pragma once

namespace convert::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

template <class Integer>
constexpr Integer rounds(Integer all) {
  return sanitized ? all / 4 : all;
}

}  // namespace convert::test
