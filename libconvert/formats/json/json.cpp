// SPDX-License-Identifier: MIT
// Formats json and jsonl: Chakra traces as one JSON document per trace (an array for several ranks), or as JSON
// lines.
//
// Process groups are a separate element or line before the ranks: {"groups":{"1":[0,2]}}.
//
//   {"rank":0,                                    {"rank":0,"metadata":{"version":"0.0.4"}}
//    "metadata":{"version":"0.0.4"},              {"rank":0,"id":1,"type":"COMP_NODE"}
//    "nodes":[                                    {"rank":0,"id":2,"data_deps":[1]}
//     {"id":1,"type":"COMP_NODE"},
//     {"id":2,"data_deps":[1]}
//    ]}
#include "formats/json/json.h"

#include <cstdint>

#include "formats/json/grammar.h"

namespace convert {
namespace {

enum class Shape : std::uint8_t { neither, document, lines };

// Returns the shape that the text begins with. JSON lines begin with an object of rank and metadata that ends
// before the line ends. etkit's documents have a line break after the rank, so a truncated head with long metadata
// is recognised too.
Shape shape_of(std::string_view head) {
  std::size_t i = head.find_first_not_of(json_space);
  if (i == std::string_view::npos) return Shape::neither;
  if (head[i] == '[') {
    i = head.find_first_not_of(json_space, i + 1);
    if (i == std::string_view::npos || (head[i] != '{' && head[i] != ']')) return Shape::neither;
    if (head[i] == ']') return Shape::document;
    return shape_of(head.substr(i)) == Shape::neither ? Shape::neither : Shape::document;
  }
  if (head[i] != '{') return Shape::neither;
  bool broken = false;  // a line break inside the object
  bool first = true;
  bool metadata = false;
  std::string_view name;  // the last key of the outermost object
  int depth = 0;
  bool key = false;  // the next string is a key of the outermost object, or the first key of an object in it
  for (; i < head.size(); ++i) {
    const char c = head[i];
    if (c == '"') {
      std::size_t end = i + 1;
      while (end < head.size() && head[end] != '"') end += head[end] == '\\' ? 2 : 1;
      if (end >= head.size()) break;
      if (depth == 1 && key) {
        name = head.substr(i + 1, end - i - 1);
        if (name == "nodes") return Shape::document;
        if (name == "groups" && first) return Shape::lines;  // a document has groups in an array
        if (name != "rank" && name != "metadata") return Shape::neither;
        metadata = metadata || name == "metadata";
        first = false;
      } else if (depth == 2 && key && name == "metadata") {
        // Device traces may have user metadata, with other names.
        const std::string_view member = head.substr(i + 1, end - i - 1);
        if (member != "version" && member != "attr" && member != "unknown") return Shape::neither;
      }
      key = false;
      i = end;
    } else if (c == '{' || c == '[') {
      key = ++depth == 1 || (depth == 2 && c == '{');
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return first || broken || !metadata ? Shape::document : Shape::lines;
    } else if (c == ',') {
      key = depth == 1;
    } else if (c == '\n') {
      broken = true;
    } else if (first && json_space.find(c) == std::string_view::npos) {
      return Shape::neither;  // { must be followed by a key or }
    }
  }
  if (first) return Shape::neither;
  return broken ? Shape::document : Shape::lines;
}

bool sniff_document(std::string_view head) { return shape_of(head) == Shape::document; }
// Also accepts nodes without metadata, so that the reader can report what is missing.
bool sniff_lines(std::string_view head) {
  return shape_of(head) == Shape::lines || is_json_node(head.substr(0, head.find('\n')));
}

std::unique_ptr<TraceWriter> write_document(const FormatOptions& /*options*/) {
  return make_json_writer(JsonLayout::document);
}
std::unique_ptr<TraceWriter> write_lines(const FormatOptions& options) {
  const std::string attrs = options.get("attrs").value_or("full");
  if (attrs != "full" && attrs != "flat") throw usage_error("attrs=" + attrs + ": expected full or flat");
  return make_json_writer(JsonLayout::lines, attrs == "flat");
}

}  // namespace

extern const Format json_format;
const Format json_format = {
    .name = "json",
    .summary = "Chakra execution trace as one JSON document",
    .suffixes = {".json"},
    .sniff = sniff_document,
    .peek_groups = peek_json_groups,
    .read = make_json_reader,
    .write = write_document,
    .framed_set = true,
};

extern const Format jsonl_format;
const Format jsonl_format = {
    .name = "jsonl",
    .summary = "Chakra execution trace as JSON lines, one node per line",
    .suffixes = {".jsonl"},
    .write_options = {{"attrs", "full|flat",
                       "flat: {\"name\":value} for jq and pandas, not readable by etkit (default: full)"}},
    .sniff = sniff_lines,
    .peek_groups = peek_json_groups,
    .read = make_json_lines_reader,
    .write = write_lines,
};

}  // namespace convert
