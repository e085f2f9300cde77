// SPDX-License-Identifier: MIT
// Finds certain attributes of a node in one pass over all that it has.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/attr_names.h"
#include "core/trace.h"

namespace convert {

// Holds for each of `names`, an array of names of core/attr_names.h, the first attribute that has it.
template <const auto& names>
class FoundAttrs {
 public:
  FoundAttrs() = default;
  explicit FoundAttrs(std::span<const Attr> attrs) { read(attrs); }
  void read(std::span<const Attr> attrs) {
    found_.fill(nullptr);
    for (const Attr& a : attrs) {
      if (a.name.index() >= slots.size()) continue;
      const std::uint8_t slot = slots[a.name.index()];
      if (slot < names.size() && found_[slot] == nullptr) found_[slot] = &a;
    }
  }
  // Returns the attribute of a name, one of `names`; null if there is none.
  [[nodiscard]] const Attr* operator[](Name name) const { return found_[slot(name)]; }
  // Returns the place of a name in `names`, where it must be.
  [[nodiscard]] static constexpr std::size_t slot(Name name) {
    assert(name.index() < slots.size() && slots[name.index()] < names.size());
    return slots[name.index()];
  }

 private:
  // By Name::index: the place in `names`; names.size() for all others.
  static constexpr auto slots = [] {
    std::array<std::uint8_t, attr::count> table{};
    table.fill(static_cast<std::uint8_t>(names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) table[names[i].index()] = static_cast<std::uint8_t>(i);
    return table;
  }();
  std::array<const Attr*, names.size()> found_{};
};

}  // namespace convert
