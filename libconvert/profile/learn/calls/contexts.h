// SPDX-License-Identifier: MIT
// Contexts of gaps between communications: gaps with equal surrounding communications are comparable.
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
  // Levels from narrow to wide: the gap of equal number in an equal sequence of communications; the n-th gap
  // between the same six, four or two communications; any gap between the same two, with receives and sends equal.
  // The last two levels, the communication after the gap and the one before it, are too weak to be used alone.
  static constexpr std::size_t levels = 8, places = 6, pair = 4;
  using Of = std::array<std::uint32_t, levels>;  // a context number for each level; no_index: unknown context

  // `messages`: by class, see ClassTable::messages(); must outlive this object.
  explicit GapContexts(std::span<const std::uint32_t> messages) : messages_(messages) {}

  // Returns the contexts of the gaps of a part, which has one gap more than calls. Calls are given by their
  // classes.
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
