// SPDX-License-Identifier: MIT
#include "analyze/diff/values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "util/json_writer.h"

namespace convert {
namespace {

constexpr std::size_t shown_elements = 8;

std::string scalar_text(Kind kind, std::uint64_t bits) {
  std::string out;
  switch (kind) {
    case Kind::double_val: append_json_number(out, std::bit_cast<double>(bits)); break;
    case Kind::float_val: append_json_number(out, std::bit_cast<float>(static_cast<std::uint32_t>(bits))); break;
    case Kind::uint32_val:
    case Kind::uint64_val:
    case Kind::fixed32_val:
    case Kind::fixed64_val: append_json_number(out, bits); break;
    case Kind::bool_val: out = bits != 0 ? "true" : "false"; break;
    default: append_json_number(out, static_cast<std::int64_t>(bits));
  }
  return out;
}

std::string plain_text(const AttrTable& table, const Attr& attribute) {
  if (attribute.kind == Kind::none) return "(empty)";
  if (!is_list(attribute.kind)) {
    return is_text(attribute.kind) ? std::string(table.string(attribute))
                                   : scalar_text(attribute.kind, attribute.bits);
  }
  std::string out = "[";
  for (std::size_t i = 0; i < attribute.size && i < shown_elements; ++i) {
    if (i != 0) out += ", ";
    out += is_text(attribute.kind) ? std::string(table.view(table.string_list(attribute)[i]))
                                   : scalar_text(scalar_of(attribute.kind), table.list(attribute)[i]);
  }
  if (attribute.size > shown_elements) out += ", … " + std::to_string(attribute.size) + " elements";
  return out + ']';
}

constexpr std::array time_names = {attr::duration_nanos, attr::start_nanos,   attr::ts,
                                   attr::inclusive_dur,  attr::exclusive_dur, attr::time,
                                   attr::start_ts,       attr::finish_ts,     attr::start_delay_nanos};

}  // namespace

bool is_time_attribute(Name name) { return std::ranges::find(time_names, name) != time_names.end(); }

std::string value_text(const AttrTable& table, const Attr& attribute, bool kind) {
  const std::string text = plain_text(table, attribute);
  return kind ? text + " (" + std::string(kind_name(attribute.kind)) + ")" : text;
}

std::string extra_text(std::string_view what, std::string_view text) {
  if (text.empty()) return "(none)";
  if (what != "unknown") return std::string(text);
  constexpr std::size_t shown_bytes = 16;
  std::string out;
  for (const char c : text.substr(0, shown_bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    out += "0123456789abcdef"[byte >> 4U];
    out += "0123456789abcdef"[byte & 15U];
  }
  return text.size() > shown_bytes ? out + "… " + std::to_string(text.size()) + " bytes" : out;
}

}  // namespace convert
