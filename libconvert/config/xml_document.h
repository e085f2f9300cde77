// SPDX-License-Identifier: MIT
// XML documents with line numbers; stricter than pugixml.
#pragma once

#include <cstdint>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"

namespace convert {

struct XmlPlace {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// Words that errors about a document use.
struct XmlSubject {
  std::string_view noun;  // "MSCCL-IR"
  std::string_view root;  // name of its root element
};

class XmlDocument {
 public:
  // Throws Error(input) [xml] if the text is not exactly one well-formed element without DOCTYPE.
  XmlDocument(std::string text, std::string file, const XmlSubject& subject);

  [[nodiscard]] pugi::xml_node root() const { return root_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  // Returns line and column of an offset; constant time for calls in document order.
  [[nodiscard]] XmlPlace place(std::ptrdiff_t offset) const;
  [[nodiscard]] XmlPlace place(pugi::xml_node node) const {
    return place(node.offset_debug() - (node.type() == pugi::node_element ? 1 : 0));
  }
  [[nodiscard]] Location at(XmlPlace p) const { return {.file = file_, .line = p.line, .column = p.column}; }
  [[nodiscard]] Location at(pugi::xml_node node) const { return at(place(node)); }

 private:
  std::string text_;
  std::string file_;
  std::vector<std::uint32_t> line_starts_;
  mutable std::size_t last_line_ = 0;  // line of the latest place(), where the next search begins
  pugi::xml_document document_;
  pugi::xml_node root_;
};

// Returns the text with the five predefined entities and character references replaced; nothing if it contains an
// undefined entity, a '<' or a control character.
[[nodiscard]] std::optional<std::string> unescape_xml(std::string_view raw);
// Appends the escaped text; C1 controls, which terminals interpret, become references. Throws Error(input) for
// other control characters, which XML cannot represent.
void escape_xml(std::string_view text, std::string& out);

}  // namespace convert
