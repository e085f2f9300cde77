// SPDX-License-Identifier: MIT
// Searches for the texts of a set in the bytes of another set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/trace.h"

namespace tools {

inline constexpr std::size_t shortest_text = 4;  // bytes; shorter texts occur in any file

// Collects texts of at least four bytes: whole texts, and their words.
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

// Finds many texts in one pass over the bytes.
class TextSearch {
 public:
  // Omits numbers, and texts that keyed names may contain by chance: fewer than twelve hexadecimal digits.
  explicit TextSearch(const TextsOfSet& texts);

  // Returns the indices of the texts in the bytes, ascending, each once. Thread-safe.
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
  std::vector<bool> seen_;  // by bit(): whether a text may begin with the prefix
  std::size_t left_out_ = 0;
};

// Returns the texts in the head and the nodes of an anonymised rank, one per line.
[[nodiscard]] std::string texts_of(const convert::Trace& trace);

}  // namespace tools
