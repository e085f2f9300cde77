// SPDX-License-Identifier: MIT
// Set of distinct texts, numbered from 0.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/index_table.h"
#include "core/trace.h"

namespace convert {

class TextSet {
 public:
  // Returns the number of a text, which is added if it is new.
  std::uint32_t add(std::string_view text) {
    const auto hash_of = [this](std::uint32_t i) { return std::hash<std::string_view>()((*this)[i]); };
    const auto next = static_cast<std::uint32_t>(texts_.size());
    const std::uint32_t found = index_.find_or_add(
        std::hash<std::string_view>()(text), next, [&](std::uint32_t i) { return (*this)[i] == text; }, hash_of);
    if (found == next) texts_.push_back(pool_.add_text(text));
    return found;
  }
  [[nodiscard]] std::string_view operator[](std::uint32_t i) const { return pool_.view(texts_[i]); }
  // Returns the texts by their numbers.
  [[nodiscard]] std::vector<std::string> list() const {
    std::vector<std::string> out;
    for (const Text t : texts_) out.emplace_back(pool_.view(t));
    return out;
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(texts_.size()); }

 private:
  TextPool pool_;
  std::vector<Text> texts_;
  IndexTable<> index_;
};

}  // namespace convert
