// SPDX-License-Identifier: MIT
#include "config/xml_document.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "util/utf8.h"

namespace convert {
namespace {

bool append_entity(std::string_view name, std::string& out) {
  constexpr std::array<std::pair<std::string_view, char>, 5> predefined = {
      {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
  for (const auto& [text, character] : predefined) {
    if (name != text) continue;
    out += character;
    return true;
  }
  if (name.size() < 2 || name[0] != '#') return false;
  const bool hex = name[1] == 'x';
  const std::string_view digits = name.substr(hex ? 2 : 1);
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (error != std::errc{} || end != digits.data() + digits.size() ||
      (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code > 0x10ffff || surrogate)
    return false;
  append_utf8(out, code);
  return true;
}

}  // namespace

XmlDocument::XmlDocument(std::string text, std::string file, const XmlSubject& subject)
    : text_(std::move(text)), file_(std::move(file)) {
  const std::string root = "document with root <" + std::string(subject.root) + "> is required";
  const auto fail = [this](std::ptrdiff_t offset, const std::string& message) {
    return input_error(at(place(offset)), message, "xml");
  };
  if (text_.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw input_error({.file = file_}, "an XML document of 4 GiB or more is not supported", "xml");
  }
  // The parser writes into the text (also over line ends), so the lines are counted first.
  line_starts_.push_back(0);
  for (const char* p = text_.data();
       (p = static_cast<const char*>(
            std::memchr(p, '\n', text_.size() - static_cast<std::size_t>(p - text_.data())))) != nullptr;
       ++p) {
    line_starts_.push_back(static_cast<std::uint32_t>(p - text_.data() + 1));
  }
  if (text_.empty()) throw input_error({.file = file_}, "empty file: an XML " + root, "xml");
  if (const std::size_t nul = text_.find('\0'); nul != std::string::npos) {
    throw fail(static_cast<std::ptrdiff_t>(nul), "a NUL byte in an XML document");
  }
  constexpr unsigned flags = pugi::parse_doctype | pugi::parse_fragment | pugi::parse_cdata;
  const pugi::xml_parse_result result =
      document_.load_buffer_inplace(text_.data(), text_.size(), flags, pugi::encoding_utf8);
  for (const pugi::xml_node node : document_.children()) {
    if (node.type() == pugi::node_doctype) {
      const std::string_view text = node.value();
      const std::string_view type = text.substr(0, text.find_first_of(" \t\r\n[")).substr(0, 40);
      if (!type.empty() && type != subject.root) {
        throw input_error(at(node),
                          "is a document of type " + std::string(type) +
                              (type == "topology" ? " (of hwloc, lstopo)" : "") + ", not " +
                              std::string(subject.noun) + ", which has root <" + std::string(subject.root) + ">",
                          "xml");
      }
      throw input_error(
          at(node), "a document type declaration is not accepted in " + std::string(subject.noun) + "; remove it",
          "xml");
    }
  }
  if (!result) throw fail(result.offset, std::string("not well-formed XML: ") + result.description());
  for (const pugi::xml_node node : document_.children()) {
    if (node.type() != pugi::node_element) {
      const bool is_xml = root_ || node.next_sibling();
      throw fail(node.offset_debug(), is_xml ? std::string("text outside the root element")
                                             : "not XML; " + std::string(subject.noun) + " is XML with root <" +
                                                   std::string(subject.root) + ">");
    }
    if (root_) throw input_error(at(node), std::string("a second root element <") + node.name() + ">", "xml");
    root_ = node;
  }
  if (!root_) throw input_error({.file = file_}, "no XML element: a " + root, "xml");
}

XmlPlace XmlDocument::place(std::ptrdiff_t offset) const {
  const auto position =
      static_cast<std::uint32_t>(std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(text_.size())));
  constexpr std::size_t near = 4;
  std::size_t line = last_line_;
  if (position >= line_starts_[line]) {
    const std::size_t end = std::min(line + near, line_starts_.size() - 1);
    while (line < end && line_starts_[line + 1] <= position) ++line;
  }
  const bool found =
      position >= line_starts_[line] && (line + 1 == line_starts_.size() || position < line_starts_[line + 1]);
  if (!found) {
    line = static_cast<std::size_t>(std::upper_bound(line_starts_.begin(), line_starts_.end(), position) -
                                    line_starts_.begin()) -
           1;
  }
  last_line_ = line;
  return {static_cast<std::uint32_t>(line + 1), position - line_starts_[line] + 1};
}

std::optional<std::string> unescape_xml(std::string_view raw) {
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  if (std::ranges::any_of(raw, is_control)) return std::nullopt;
  std::string out;
  while (!raw.empty()) {
    const std::size_t special = raw.find_first_of("&<");
    out.append(raw.substr(0, special));
    if (special == std::string_view::npos) break;
    const std::size_t end = raw.find(';', special);
    if (raw[special] == '<' || end == std::string_view::npos) return std::nullopt;
    if (!append_entity(raw.substr(special + 1, end - special - 1), out)) return std::nullopt;
    raw.remove_prefix(end + 1);
  }
  return out;
}

void escape_xml(std::string_view text, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_c1_control(text.substr(i, 2))) {
      out += "&#" + std::to_string(static_cast<unsigned char>(text[++i])) + ';';
      continue;
    }
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      case '\r': out += "&#13;"; break;
      case '\t': out += "&#9;"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20)
          throw input_error({}, "a text with a control character cannot be written as XML", "xml");
        out += c;
    }
  }
}

}  // namespace convert
