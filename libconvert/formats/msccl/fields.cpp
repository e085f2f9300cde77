// SPDX-License-Identifier: MIT
#include "formats/msccl/fields.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace convert {
namespace {

constexpr std::size_t max_attributes = 256;  // the runtimes keep 16

}  // namespace

void XmlFields::ignore(const std::string& what, XmlPlace place) {
  Seen& seen = ignored_[what];
  if (seen.count++ == 0) seen.first = place;
}

void XmlFields::report_ignored() {
  for (const auto& [what, seen] : ignored_) {
    diagnostics_.warning(document_.at(seen.first), "attributes",
                         what + " is not part of MSCCL-IR and is ignored" +
                             (seen.count > 1 ? " (" + std::to_string(seen.count) + " times)" : ""));
  }
}

// Detects another attribute dialect, which no runtime reads, to report it instead of ten missing attributes.
std::string XmlFields::new_spelling_hint(pugi::xml_node node) {
  const bool is_new = std::strcmp(node.name(), "step") == 0 && (node.attribute("op") || node.attribute("buf"));
  return is_new ? " (this is MSCCLang's new spelling; write the file with old_format=True)" : "";
}

bool XmlFields::add_other(pugi::xml_node node, XmlPlace place, pugi::xml_attribute a, OtherAttributes& other) {
  const std::string element = std::string("<") + node.name() + ">";
  const std::string attribute = std::string("attribute '") + a.name() + "'";
  const auto bad = [&](const std::string& message) {
    error(place, "xml", message);
    return false;
  };
  if (other.size() >= max_attributes)
    return bad(element + " has more than " + std::to_string(max_attributes) + " attributes");
  if (std::ranges::any_of(other, [&](const auto& o) { return o.first == a.name(); }))
    return bad(attribute + " of " + element + " is given twice");
  auto value = unescape_xml(a.value());
  if (!value) return bad(attribute + ": its value has an undefined entity, a '<' or a control character");
  other.emplace_back(a.name(), std::move(*value));
  return true;
}

bool XmlFields::integer(XmlPlace place, const char* name, const char* text, std::int64_t low, std::int64_t high,
                        std::int64_t& value) {
  const char* begin = text;
  const char* end = text + std::strlen(text);
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (begin != end && is_space(*begin)) ++begin;
  while (end != begin && is_space(end[-1])) --end;
  const char* digits = begin != end && *begin == '+' ? begin + 1 : begin;
  const auto [rest, problem] = std::from_chars(digits, end, value);
  const auto bad = [&](const char* what) {
    error(place, "attributes", std::string(name) + "=\"" + clip(text) + "\" " + what);
    return false;
  };
  if (problem == std::errc::result_out_of_range) return bad("exceeds the integer range");
  if (problem != std::errc{} || rest != end || (digits != begin && *digits == '-'))
    return bad("is not a decimal integer");
  return (value >= low && value <= high) || bad("is out of range");
}

bool XmlFields::long_integer32(XmlPlace place, const char* name, const char* text, std::int32_t& out) {
  using Limits = std::numeric_limits<std::int32_t>;
  std::int64_t wide = 0;
  if (!integer(place, name, decoded(text).c_str(), Limits::min(), Limits::max(), wide)) return false;
  out = static_cast<std::int32_t>(wide);
  return true;
}

}  // namespace convert
