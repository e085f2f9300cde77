// SPDX-License-Identifier: MIT
#include <simdjson.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "config/system.h"
#include "core/diagnostic.h"
#include "core/units.h"

namespace convert {
namespace {

const std::string shape = "expected a map from node ids to prefixes, such as {12: algo/ring}";

// Reads the entries event by event, without a document tree, so that nesting and aliases cost nothing.
class EntryReader : public YAML::EventHandler {
 public:
  explicit EntryReader(const std::string& file) : file_(file) {}
  std::map<std::uint64_t, std::string> prefixes;
  bool is_map = false;

  [[nodiscard]] Error failure(const YAML::Mark& mark, const std::string& message) const {
    Location where{.file = file_};
    if (!mark.is_null()) {
      where.line = static_cast<std::uint32_t>(mark.line) + 1;
      where.column = static_cast<std::uint32_t>(mark.column) + 1;
    }
    return input_error(std::move(where), message, "system");
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true)) throw failure(mark, "a second document; a node map has exactly one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { OnScalar(mark, "", anchor, ""); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw failure(mark, "aliases are not supported in a node map");
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& text) override {
    if (!is_map) throw failure(mark, (text.empty() ? "empty; " : "") + shape);
    refuse_anchor(mark, anchor);
    if (std::exchange(expect_prefix_, !expect_prefix_)) {
      if (text.empty()) throw failure(mark, "node " + std::to_string(node_) + " has no prefix");
      prefixes[node_] = text;
      return;
    }
    const std::optional<std::uint64_t> node = parse_plain(text);  // leading zeros mean octal in YAML
    if (!node) throw failure(mark, "a node id must be a non-negative integer, not '" + text + "'");
    if (prefixes.contains(*node)) throw failure(mark, "node " + text + " is repeated");
    node_ = *node;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    throw failure(mark, is_map ? "unexpected list" : shape);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_anchor(mark, anchor);
    if (std::exchange(is_map, true)) throw failure(mark, "unexpected map");
  }
  void OnMapEnd() override {}

 private:
  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != 0) throw failure(mark, "anchors are not supported in a node map");
  }

  const std::string& file_;
  bool started_ = false;
  bool expect_prefix_ = false;
  std::uint64_t node_ = 0;  // node of the next prefix
};

// Rejects text that yaml-cpp would silently repair.
void check_text(const std::string& file, std::string_view text) {
  if (text.size() > max_per_node_map_bytes)
    throw input_error({.file = file}, "larger than 16 MiB, the limit of a node map", "system");
  for (std::uint32_t line = 1; !text.empty(); ++line) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    const bool is_utf8 = simdjson::validate_utf8(text.data(), length);
    if (!is_utf8 || text.substr(0, length).find('\0') != std::string_view::npos)
      throw input_error({.file = file, .line = line}, is_utf8 ? "a NUL byte" : "not UTF-8", "system");
    text.remove_prefix(length);
  }
}

}  // namespace

std::map<std::uint64_t, std::string> parse_per_node_map(const std::string& file, std::string_view text) {
  check_text(file, text);
  EntryReader reader(file);
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(reader)) {
    }
  } catch (const YAML::Exception& e) {
    throw reader.failure(e.mark, e.msg);
  }
  if (!reader.is_map) throw reader.failure(YAML::Mark::null_mark(), "empty; " + shape);
  return std::move(reader.prefixes);
}

}  // namespace convert
