// SPDX-License-Identifier: MIT
// Attributes of nodes as columns: for each attribute the values of the nodes that have it, and for each node the
// list of its attributes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/text_set.h"
#include "core/trace.h"
#include "page/page.h"
#include "util/json_writer.h"

namespace convert {

class AttributeColumns {
 public:
  // Adds the attributes, inputs and outputs of the next node.
  void add(const NodeTable& table, const Node& node);

  // Appends to the head the members "attributes", a list of {name, texts?, left_out?: bytes}, and
  // "attribute_lists", each a list of indices into it.
  void write_head(JsonWriter& json) const;
  // Adds the column "attributes" (for each node its list), and "attribute N" for each attribute that is not
  // omitted: integers, or indices into its texts.
  void take_columns(std::vector<Column>& columns);

 private:
  // An attribute whose distinct texts exceed this size is omitted, to bound the size of the page.
  static constexpr std::uint64_t most_text_bytes = std::uint64_t{64} << 10U;

  struct Attribute {
    std::string name;
    std::vector<double> numbers{};  // integers of at most 2^53, or indices into texts
    bool is_text = false;
    TextSet texts{};
    std::uint64_t text_bytes = 0;
    [[nodiscard]] bool left_out() const { return text_bytes > most_text_bytes; }
  };

  std::uint32_t attribute(Name name);
  void add_value(std::uint32_t index, const NodeTable& table, const Attr& a);
  void add_text(std::uint32_t index, std::string_view text);
  void add_io(const NodeTable& table, std::uint32_t io, std::uint32_t& first, std::string_view prefix);
  static void make_texts(Attribute& a);

  std::vector<Attribute> attributes_;
  std::unordered_map<std::uint32_t, std::uint32_t> by_name_;  // Name::index() to index in attributes_
  std::uint32_t first_input_ = no_index;                      // values, shapes and types are consecutive
  std::uint32_t first_output_ = no_index;
  TextSet lists_;     // bytes of arrays of std::uint32_t
  std::string list_;  // list of the current node
  std::vector<std::int32_t> node_lists_;
};

}  // namespace convert
