// SPDX-License-Identifier: MIT
// Packs traces into shapes and 64-bit values, and unpacks them, without loss.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/master/shapes.h"
#include "core/text_set.h"
#include "core/trace.h"

namespace convert {

// Returns the packed value of a text: 2 n + 1 for the decimal number n, so that "7", "8", "9" follow a rule; else
// twice the text's index in `texts`, to which the text is added.
[[nodiscard]] std::uint64_t packed_text(std::string_view text, TextSet& texts);
// Returns the text of a packed value; nothing if the value is invalid. The text of a number is stored in `number`.
[[nodiscard]] std::optional<std::string_view> unpacked_text(std::uint64_t value, const TextSet& texts,
                                                            std::string& number);
[[nodiscard]] constexpr std::uint64_t packed_number(std::uint64_t n) { return 2 * n + 1; }
inline constexpr std::uint64_t largest_packed_number = 999'999'999'999'999'999;

// A trace as rows: its metadata, then its nodes. `values` has the values of each row, in the order of
// ShapeSet::for_each_field().
struct PackedTrace {
  std::vector<std::uint32_t> shapes;
  std::vector<std::uint64_t> values;
  friend bool operator==(const PackedTrace&, const PackedTrace&) = default;
};

// Packs a trace: metadata once, then nodes, in batches.
class Packer {
 public:
  Packer(TextSet& texts, ShapeSet& shapes) : texts_(texts), shapes_(shapes) {}
  void metadata(const Metadata& from, PackedTrace& to);
  void nodes(const NodeTable& from, PackedTrace& to);

 private:
  void text(std::string_view s, PackedTrace& to) { to.values.push_back(packed_text(s, texts_)); }
  void attributes(const AttrTable& from, std::span<const Attr> attrs, PackedTrace& to);
  void io(const NodeTable& from, std::uint32_t index, PackedTrace& to);
  void extra(const AttrTable& from, std::uint32_t index, PackedTrace& to);

  TextSet& texts_;
  ShapeSet& shapes_;
  NodeShape shape_;
  NodeId last_id_ = 0;
};

// Makes a rank's metadata or nodes from values. Throws Error(input) [master] with the file if a value is invalid in
// a trace.
class Unpacker {
 public:
  Unpacker(const TextSet& texts, std::string_view file, Rank rank) : texts_(texts), file_(file), rank_(rank) {}
  // Return the end of the values that were read.
  const std::uint64_t* metadata(const NodeShape& shape, const std::uint64_t* values, Metadata& to) const;
  // Appends a node after the last one, or after a node with id `before`.
  const std::uint64_t* node(const NodeShape& shape, const std::uint64_t* values, NodeTable& to) const {
    return node(shape, values, to.nodes.empty() ? 0 : to.nodes.back().id, to);
  }
  const std::uint64_t* node(const NodeShape& shape, const std::uint64_t* values, NodeId before,
                            NodeTable& to) const;

 private:
  [[nodiscard]] Text text(std::uint64_t value, TextPool& to) const;
  const std::uint64_t* attribute(const NodeShape::Attribute& a, const std::uint64_t* values, AttrTable& to) const;
  [[nodiscard]] std::uint32_t io(const std::uint64_t* values, NodeTable& to) const;
  [[nodiscard]] std::uint32_t extra(const std::uint64_t* values, AttrTable& to) const;

  [[nodiscard]] Error damaged(std::string_view what) const;

  const TextSet& texts_;
  std::string_view file_;
  Rank rank_;
};

}  // namespace convert
