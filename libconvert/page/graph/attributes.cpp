// SPDX-License-Identifier: MIT
#include "page/graph/attributes.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <utility>

#include "core/units.h"

namespace convert {
namespace {

constexpr std::int64_t most_exact = std::int64_t{1} << 53;  // largest integer up to which doubles are exact
constexpr std::array<std::string_view, 3> io_parts = {".values", ".shapes", ".types"};

std::string real_text(double value, int digits) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits);
  return {text.data(), end.ptr};
}

// Returns a scalar as text; `bits` is encoded as in Attr.
std::string shown_scalar(Kind kind, std::uint64_t bits) {
  switch (kind) {
    case Kind::double_val: return real_text(std::bit_cast<double>(bits), 17);
    case Kind::float_val: return real_text(std::bit_cast<float>(static_cast<std::uint32_t>(bits)), 9);
    case Kind::bool_val: return bits != 0 ? "true" : "false";
    case Kind::uint32_val:
    case Kind::uint64_val:
    case Kind::fixed32_val:
    case Kind::fixed64_val: return std::to_string(bits);
    default: return std::to_string(static_cast<std::int64_t>(bits));
  }
}

std::string bytes_text(std::string_view bytes) { return counted(bytes.size(), "byte"); }

// Returns a value as text, lists in brackets.
std::string shown_value(const AttrTable& table, const Attr& a) {
  if (a.kind == Kind::none) return "";
  if (a.kind == Kind::string_val) return std::string(table.string(a));
  if (a.kind == Kind::bytes_val) return bytes_text(table.string(a));
  if (!is_list(a.kind)) return shown_scalar(a.kind, a.bits);
  std::string text = "[";
  const auto separate = [&] {
    if (text.size() > 1) text += ", ";
  };
  if (is_text(a.kind)) {
    for (const Text t : table.string_list(a)) {
      separate();
      text += a.kind == Kind::bytes_list ? bytes_text(table.view(t)) : std::string(table.view(t));
    }
  } else {
    for (const std::uint64_t bits : table.list(a)) {
      separate();
      text += shown_scalar(scalar_of(a.kind), bits);
    }
  }
  return text + "]";
}

}  // namespace

std::uint32_t AttributeColumns::attribute(Name name) {
  const auto [at, is_new] = by_name_.try_emplace(name.index(), static_cast<std::uint32_t>(attributes_.size()));
  if (is_new) attributes_.push_back({.name = std::string(name.view())});
  return at->second;
}

void AttributeColumns::make_texts(Attribute& a) {
  a.is_text = true;
  for (double& value : a.numbers) value = a.texts.add(std::to_string(static_cast<std::int64_t>(value)));
}

void AttributeColumns::add_text(std::uint32_t index, std::string_view text) {
  Attribute& a = attributes_[index];
  if (a.left_out()) return;
  if (!a.is_text) make_texts(a);
  const std::uint32_t known = a.texts.size();
  a.numbers.push_back(a.texts.add(text));
  if (a.texts.size() > known) a.text_bytes += text.size() + 3;  // with quotes and comma
  if (a.left_out()) a.numbers = {}, a.texts = {};
}

void AttributeColumns::add_value(std::uint32_t index, const NodeTable& table, const Attr& a) {
  const IntValue whole = a.kind == Kind::bool_val ? IntValue{} : int_value(&a);
  if (whole && whole.value <= most_exact && whole.value >= -most_exact && !attributes_[index].is_text) {
    attributes_[index].numbers.push_back(static_cast<double>(whole.value));
  } else {
    add_text(index, shown_value(table, a));
  }
}

void AttributeColumns::add_io(const NodeTable& table, std::uint32_t io, std::uint32_t& first,
                              std::string_view prefix) {
  if (io == 0) return;
  if (first == no_index) {
    first = static_cast<std::uint32_t>(attributes_.size());
    for (const std::string_view part : io_parts) attributes_.push_back({.name = std::string(prefix).append(part)});
  }
  const IoInfo& info = table.io[io - 1];
  std::uint32_t index = first;
  for (const Text text : {info.values, info.shapes, info.types}) {
    add_text(index, table.view(text));
    list_.append(reinterpret_cast<const char*>(&index), sizeof index);
    ++index;
  }
}

void AttributeColumns::add(const NodeTable& table, const Node& node) {
  list_.clear();
  for (const Attr& a : table.attributes(node)) {
    const std::uint32_t index = attribute(a.name);
    add_value(index, table, a);
    list_.append(reinterpret_cast<const char*>(&index), sizeof index);
  }
  add_io(table, node.inputs, first_input_, "inputs");
  add_io(table, node.outputs, first_output_, "outputs");
  node_lists_.push_back(static_cast<std::int32_t>(lists_.add(list_)));
}

void AttributeColumns::write_head(JsonWriter& json) const {
  json.key("attributes").begin_array();
  for (const Attribute& a : attributes_) {
    json.begin_object().member("name", a.name);
    if (a.left_out()) {
      json.member("left_out", a.text_bytes);
    } else if (a.is_text) {
      json.key("texts").begin_array();
      for (std::uint32_t i = 0; i < a.texts.size(); ++i) json.value(a.texts[i]);
      json.end_array();
    }
    json.end_object();
  }
  json.end_array().key("attribute_lists").begin_array();
  for (std::uint32_t i = 0; i < lists_.size(); ++i) {
    json.begin_array();
    const std::string_view bytes = lists_[i];
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint32_t)) {
      std::uint32_t index = 0;
      std::memcpy(&index, bytes.data() + at, sizeof index);
      json.value(index);
    }
    json.end_array();
  }
  json.end_array();
}

void AttributeColumns::take_columns(std::vector<Column>& columns) {
  columns.push_back({"attributes", std::move(node_lists_), Column::Code::dict});
  for (std::size_t i = 0; i < attributes_.size(); ++i) {
    Attribute& a = attributes_[i];
    if (a.left_out()) continue;
    columns.push_back({"attribute " + std::to_string(i), std::move(a.numbers),
                       a.is_text ? Column::Code::dict : Column::Code::delta});
  }
}

}  // namespace convert
