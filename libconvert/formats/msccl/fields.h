// SPDX-License-Identifier: MIT
// Strict reading of XML attributes as numbers and texts: reports each defect with its location.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "config/xml_document.h"
#include "core/algorithm/algorithm.h"
#include "core/diagnostic.h"
#include "util/utf8.h"

namespace convert {

class XmlFields {
 public:
  XmlFields(const XmlDocument& document, Diagnostics& diagnostics)
      : document_(document), diagnostics_(diagnostics) {}

  void error(XmlPlace place, const char* rule, std::string message) {
    diagnostics_.error(document_.at(place), rule, std::move(message));
  }
  // Counts an unknown name; report_ignored() warns about each name once.
  void ignore(const std::string& what, XmlPlace place);
  void report_ignored();

  // Fills `values` with the known attributes of an element; unknown ones go to `other` or are counted. Returns
  // false, with a finding for each defect, if an attribute is missing or given twice.
  template <std::size_t N>
  bool collect(pugi::xml_node node, XmlPlace place, const std::array<const char*, N>& names,
               std::array<const char*, N>& values, OtherAttributes* other = nullptr) {
    values.fill(nullptr);
    std::size_t expected = 0;
    bool ok = true;
    for (pugi::xml_attribute a = node.first_attribute(); a; a = a.next_attribute()) {
      const char* name = a.name();
      std::size_t i = expected;
      if (i >= N || std::strcmp(name, names[i]) != 0) {
        for (i = 0; i < N && std::strcmp(name, names[i]) != 0; ++i) {
        }
      }
      if (i == N) {
        if (other != nullptr) {
          ok = add_other(node, place, a, *other) && ok;
        } else {
          ignore(std::string("attribute '") + name + "' of <" + node.name() + ">", place);
        }
        continue;
      }
      expected = i + 1;
      if (values[i] != nullptr) {
        error(place, "xml", std::string("attribute '") + name + "' of <" + node.name() + "> is given twice");
        ok = false;
      }
      values[i] = a.value();
    }
    for (std::size_t i = 0; i < N; ++i) {
      if (values[i] == nullptr) {
        error(place, "attributes",
              std::string("<") + node.name() + "> has no attribute '" + names[i] + "'" + new_spelling_hint(node));
        ok = false;
      }
    }
    return ok;
  }

  // Stores an attribute that has no field. Returns false, with a finding, if it is given twice or malformed.
  bool add_other(pugi::xml_node node, XmlPlace place, pugi::xml_attribute attribute, OtherAttributes& other);

  // Reads a decimal integer within [low, high]; returns false, with a finding, if it is malformed or out of range.
  bool integer(XmlPlace place, const char* name, const char* text, std::int64_t low, std::int64_t high,
               std::int64_t& value);
  bool integer32(XmlPlace place, const char* name, const char* text, std::int32_t& out) {
    const char* p = text;  // fast path: an optional '-' and one to seven digits
    const bool negative = *p == '-';
    p += negative ? 1 : 0;
    std::int32_t value = 0;
    int digits = 0;
    for (; *p >= '0' && *p <= '9' && digits < 7; ++p, ++digits) value = value * 10 + (*p - '0');
    if (*p != '\0' || digits == 0) return long_integer32(place, name, text, out);
    out = negative ? -value : value;
    return true;
  }
  // Returns the value of an attribute with its entities and character references replaced; the raw value if one of
  // the references is undefined.
  static std::string decoded(std::string_view value) { return unescape_xml(value).value_or(std::string(value)); }
  static std::string clip(std::string_view text) { return cut_text(text, 40); }

 private:
  struct Seen {
    XmlPlace first;
    std::size_t count = 0;
  };
  bool long_integer32(XmlPlace place, const char* name, const char* text, std::int32_t& out);
  static std::string new_spelling_hint(pugi::xml_node node);

  const XmlDocument& document_;
  Diagnostics& diagnostics_;
  std::map<std::string, Seen> ignored_;
};

}  // namespace convert
