// SPDX-License-Identifier: MIT
// Attribute name in 4 bytes: its index in the process-wide pool of names, which only grows.
#pragma once

#include <cstdint>
#include <string_view>

namespace convert {

class Name {
 public:
  constexpr Name() = default;  // the empty name
  constexpr explicit Name(std::uint32_t index) : index_(index) {}
  // Looks `text` up, and adds it if it is new. Thread-safe. Throws Error(input) if the pool has a million names.
  explicit Name(std::string_view text);

  [[nodiscard]] std::string_view view() const;  // valid until the process ends
  [[nodiscard]] constexpr std::uint32_t index() const { return index_; }
  friend constexpr bool operator==(Name a, Name b) { return a.index_ == b.index_; }

 private:
  std::uint32_t index_ = 0;
};

}  // namespace convert
