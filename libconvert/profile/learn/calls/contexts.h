// SPDX-License-Identifier: MIT
// Tells which gaps between communications are alike: by the communications around them, the more the better.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/trace.h"

namespace convert {

class GapContexts {
 public:
  // From the narrowest to the widest: the gap of that number in the same sequence of communications; the n-th gap
  // between the same six, four, two; any gap between the same two, and where a receive is as its send.
  // The last two are those before a call, and behind it, which alone say too little.
  static constexpr std::size_t levels = 8, places = 6, pair = 4;
  using Of = std::array<std::uint32_t, levels>;  // a number for each level; no_index: never seen

  // `messages`: by class, see ClassTable::messages(); must outlive this object.
  explicit GapContexts(std::span<const std::uint32_t> messages) : messages_(messages) {}

  // Returns the contexts of the gaps of a part, one more than its calls, which are told by their classes.
  [[nodiscard]] std::vector<Of> add(std::span<const std::uint32_t> calls);
  [[nodiscard]] std::vector<Of> find(std::span<const std::uint32_t> calls) const;
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(numbers_.size()); }

 private:
  using Key = std::vector<std::uint32_t>;
  template <class Number>
  std::vector<Of> contexts(std::span<const std::uint32_t> calls, const Number& number) const;
  std::span<const std::uint32_t> messages_;
  std::map<Key, std::uint32_t> numbers_;
};

}  // namespace convert
