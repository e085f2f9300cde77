// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/words.h"
#include "formats/msccl/msccl.h"
#include "util/utf8.h"

namespace convert {
namespace {

constexpr std::size_t most_text = 255;       // MAX_STR_LEN
constexpr std::size_t most_attributes = 16;  // MAX_ATTR_COUNT

constexpr std::array<std::string_view, 5> texts = {"name", "proto", "coll", "type", "redop"};

// Mirrors xmlGetNode() of src/graph/xml.cc in microsoft/msccl and mscclXmlGetNode() of
// src/misc/msccl/msccl_parser.cc in ROCm/rccl, which behave alike.
class Tokenizer {
 public:
  Tokenizer(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::optional<Diagnostic> run() {
    while (!found_ && next_element()) {
    }
    return std::move(found_);
  }

 private:
  static bool ends_token(char c) { return c == ' ' || c == '>' || c == '/' || c == '\n' || c == '\r'; }

  static bool is_read(std::string_view key) {
    static constexpr std::array<std::string_view, 15> of_others = {
        "id",     "i_chunks", "o_chunks", "s_chunks", "send",  "recv", "chan",  "srcbuf",
        "srcoff", "dstbuf",   "dstoff",   "cnt",      "depid", "deps", "hasdep"};
    return is_standard_attribute(key) || key == "s" || key == "type" || key == "nthreads" ||
           std::ranges::find(of_others, key) != of_others.end();
  }

  static std::string shown(char c) {
    if (c == '\t') return "a tab";
    if (c == '\n' || c == '\r') return "a line end";
    return "'" + std::string(1, c) + "'";
  }

  bool fail(std::size_t at, std::string message) {
    const std::string_view before = text_.substr(0, at);
    const auto line = static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1);
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
    found_ = {.severity = Severity::error,
              .where = {.file = file_, .line = line, .column = static_cast<std::uint32_t>(at - start + 1)},
              .rule = "xml",
              .message = std::move(message),
              .notes = {}};
    return false;
  }

  // Returns the character at the current position and moves after it; 0 at the end.
  char take() { return at_ < text_.size() ? text_[at_++] : '\0'; }

  // Reads a token and returns the character that ends it; '=' if the token is the name of a value.
  char token(std::string_view& name) {
    const std::size_t begin = at_;
    char c = take();
    while (c != '\0' && c != '=' && !ends_token(c)) c = take();
    name = text_.substr(begin, at_ - begin - (c != '\0' ? 1 : 0));
    return c;
  }

  // Returns whether there is another element. A file accepted by XML readers ends after a whole element.
  bool next_element() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
    if (at_ == text_.size()) return false;
    const std::size_t begin = at_;
    if (take() != '<')
      return fail(begin,
                  shown(text_[begin]) + " between elements; the runtimes accept only spaces and line ends there");
    std::string_view name;
    char c = token(name);
    if (name.starts_with("!--")) return skip_comment(begin, c);
    if (name.empty() && c == '/') {
      if (c = token(name); c != '>')
        return fail(at_ - 1,
                    "</" + std::string(name) + " is followed by " + shown(c) + "; the runtimes expect '>' there");
      return true;
    }
    if (name.size() >= most_text) return fail(begin, "an element name has more than 254 characters");
    std::size_t count = 0;
    while (c == ' ') {
      if (!attribute(name, count++, c)) return false;
    }
    std::string_view rest;
    if (c == '/') c = token(rest);
    if (c == '>') return true;
    return fail(at_ - 1,
                "<" + std::string(name) + "> has " + shown(c) + " where the runtimes expect a single space or '>'");
  }

  // The runtimes read the first word of a comment as an element name.
  bool skip_comment(std::size_t begin, char c) {
    if (c == '=') return fail(at_ - 1, "'=' in the first word of a comment; the runtimes reject it");
    const std::size_t end = text_.find("-->", begin + 4);
    at_ = end == std::string_view::npos ? text_.size() : end + 3;
    return true;
  }

  // Reads an attribute, number `count` of the element, and the character after it into `c`.
  bool attribute(std::string_view element, std::size_t count, char& c) {
    std::string_view key;
    const std::size_t begin = at_;
    c = token(key);
    if (c != '=') {
      if (key.empty()) return true;  // an additional space
      return fail(begin, "'" + cut_text(key, 40) + "' in <" + std::string(element) + "> is followed by " +
                             shown(c) + "; the runtimes expect '=' there");
    }
    if (count >= most_attributes && is_read(key))
      return fail(begin, "'" + cut_text(key, 40) + "' is attribute " + std::to_string(count + 1) + " of <" +
                             std::string(element) +
                             ">, where each additional space counts as one; the runtimes keep the first " +
                             std::to_string(most_attributes));
    if (take() != '"')
      return fail(at_ - 1, "the value of '" + cut_text(key, 40) + "' does not begin with a double quote");
    const std::size_t value_begin = at_;
    const std::size_t end = std::min(text_.find('"', at_), text_.size());
    const std::string_view value = text_.substr(value_begin, end - value_begin);
    at_ = std::min(end + 1, text_.size());
    c = take();
    if (key.size() >= most_text || value.size() > most_text)
      return fail(begin, "'" + cut_text(key, 40) + "' has " + std::to_string(std::max(key.size(), value.size())) +
                             " characters; the limit of the runtimes is " + std::to_string(most_text));
    if (is_read(key) && key != "name" && value.find('&') != std::string_view::npos)
      return fail(value_begin, std::string(key) + "=\"" + cut_text(value, 40) +
                                   "\" has a character reference, which the runtimes do not decode");
    return number(key, value, value_begin);
  }

  // The runtimes parse numbers as in C: 010 is 8.
  bool number(std::string_view key, std::string_view value, std::size_t at) {
    if (std::ranges::find(texts, key) != texts.end()) return true;
    const std::size_t sign = !value.empty() && (value[0] == '-' || value[0] == '+') ? 1 : 0;
    const std::string_view digits = value.substr(sign);
    const bool octal = digits.size() > 1 && digits[0] == '0' &&
                       std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    return !octal || fail(at, std::string(key) + "=\"" + cut_text(value, 40) +
                                  "\" begins with 0; the runtimes read it as an octal number");
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::optional<Diagnostic> found_;
};

}  // namespace

std::optional<Diagnostic> find_runtime_syntax(std::string_view text, const std::string& file) {
  return Tokenizer(text, file).run();
}

}  // namespace convert
