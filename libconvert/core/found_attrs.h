// SPDX-License-Identifier: MIT
// Finds several attributes of a node in one pass over its attributes.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/attr_names.h"
#include "core/trace.h"

namespace convert {

// The first attribute of each name in `names`, an array of names of core/attr_names.h.
template <const auto& names>
class FoundAttrs {
 public:
  FoundAttrs() = default;
  explicit FoundAttrs(std::span<const Attr> attrs) { read(attrs); }
  void read(std::span<const Attr> attrs) {
    found_.fill(nullptr);
    has_others_ = false;
    for (const Attr& a : attrs) {
      if (a.name.index() >= slots.size()) {
        has_others_ = true;
        continue;
      }
      const std::uint8_t slot = slots[a.name.index()];
      if (slot < names.size() && found_[slot] == nullptr) found_[slot] = &a;
    }
  }
  // Returns the attribute of a name that is in `names`; null if the node lacks it.
  [[nodiscard]] const Attr* operator[](Name name) const { return found_[slot(name)]; }
  // Returns whether the node has attributes whose names are not in core/attr_names.h.
  [[nodiscard]] bool has_others() const { return has_others_; }
  // Returns the index in `names` of a name, which must be in it.
  [[nodiscard]] static constexpr std::size_t slot(Name name) {
    assert(name.index() < slots.size() && slots[name.index()] < names.size());
    return slots[name.index()];
  }

 private:
  // By Name::index: the index in `names`; names.size() for all other names.
  static constexpr auto slots = [] {
    std::array<std::uint8_t, attr::count> table{};
    table.fill(static_cast<std::uint8_t>(names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) table[names[i].index()] = static_cast<std::uint8_t>(i);
    return table;
  }();
  std::array<const Attr*, names.size()> found_{};
  bool has_others_ = false;
};

}  // namespace convert
