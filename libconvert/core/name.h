// SPDX-License-Identifier: MIT
// Interned attribute names: a 4-byte handle into one append-only pool; equal names have equal handles.
#pragma once

#include <cstdint>
#include <string_view>

namespace convert {

class Name {
 public:
  constexpr Name() = default;  // the empty name
  constexpr explicit Name(std::uint32_t index) : index_(index) {}
  // Interns `text`. Thread-safe. Throws Error(input) beyond a million distinct names: no sound file has them.
  explicit Name(std::string_view text);

  [[nodiscard]] std::string_view view() const;
  [[nodiscard]] constexpr std::uint32_t index() const { return index_; }
  friend constexpr bool operator==(Name a, Name b) { return a.index_ == b.index_; }

 private:
  std::uint32_t index_ = 0;
};

}  // namespace convert
