// SPDX-License-Identifier: MIT
// Choices of a fuzz target from bytes that are not text of a format.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace convert::fuzzing {

// The bytes as a stream of small numbers; 0 after the end.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}
  std::uint32_t below(std::uint32_t n) {
    if (bytes_.empty()) return 0;
    const auto v = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return v % n;
  }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[below(static_cast<std::uint32_t>(all.size()))];
  }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

}  // namespace convert::fuzzing
