// SPDX-License-Identifier: MIT
// Looks for the texts of a set in the bytes of another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/trace.h"

namespace tools {

inline constexpr std::size_t shortest_text = 4;  // bytes; shorter ones are in any file

// Collects texts of at least four bytes: each as a whole, and its words.
class TextsOfSet {
 public:
  void add(std::string_view text);
  // Add all texts of a rank: names, values, names of attributes, descriptions, unknown fields.
  void add_head(const convert::Trace& trace);
  void add_nodes(const convert::NodeTable& nodes);
  void add(TextsOfSet&& other);
  [[nodiscard]] const std::unordered_set<std::string>& all() const { return texts_; }

 private:
  void add_attributes(const convert::AttrTable& table, std::span<const convert::Attr> attrs);
  void add_extra(const convert::AttrTable& table, std::uint32_t extra);

  std::unordered_set<std::string> texts_;
};

// Finds many texts in one pass over bytes.
class TextSearch {
 public:
  // Leaves out numbers, and what keyed names may hold by chance: hexadecimal digits alone, fewer than twelve.
  explicit TextSearch(const TextsOfSet& texts);

  // Returns which texts are in the bytes, ascending, each once. Thread-safe.
  [[nodiscard]] std::vector<std::uint32_t> find(std::string_view bytes) const;
  [[nodiscard]] const std::string& text(std::uint32_t i) const { return texts_[i]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  [[nodiscard]] std::size_t left_out() const { return left_out_; }

 private:
  struct Entry {
    std::uint32_t prefix = 0;  // the first four bytes
    std::uint32_t text = 0;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  [[nodiscard]] std::size_t bit(std::uint32_t prefix) const;

  std::vector<std::string> texts_;
  std::vector<Entry> entries_;
  std::vector<bool> seen_;  // by bit(): whether a text may begin so
  std::size_t left_out_ = 0;
};

// Returns the texts of a rank that is written: of its head and nodes, one behind the other.
[[nodiscard]] std::string texts_of(const convert::Trace& trace);

}  // namespace tools
