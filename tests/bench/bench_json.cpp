// SPDX-License-Identifier: MIT
// Speed of reading Chakra traces from JSON, beside the floor in the same process: simdjson's on-demand walk over
// the members of all nodes of the same text.
//   bench_json [NODES [FILE.et…]]: of nodes of 19 attributes that it makes, and of the files' nodes
#include <simdjson.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/measure.h"
#include "bench/nodes.h"
#include "bench/table.h"
#include "core/diagnostic.h"
#include "formats/format.h"

namespace {

using namespace convert;

std::string write_text(const char* format, const NodeTable& table) {
  const FormatOptions options;
  Trace trace;
  trace.metadata.version = schema_version;
  trace.nodes = table;
  std::string text;
  const auto writer = find_format(format).write(options);
  writer->begin_set(false, text);
  writer->begin_rank(trace, 0, false, text);
  writer->nodes(trace, text);
  writer->end_rank(text);
  writer->end_set(false, text);
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  return text;
}

// Breaks the lines and puts blanks behind commas and colons, as Python's json.dump and editors do.
std::string spread(const std::string& text) {
  std::string out;
  bool inside = false;
  for (const char c : text) {
    if (c == '"') inside = !inside;
    out += c;
    if (!inside && (c == ',' || c == ':')) out += ' ';
  }
  out.reserve(out.size() + simdjson::SIMDJSON_PADDING);
  return out;
}

std::size_t scan_members(simdjson::ondemand::object object) {
  std::size_t members = 0;
  for (auto field : object) {
    (void)field.unescaped_key().value();
    ++members;
  }
  return members;
}

std::size_t scan_document(simdjson::ondemand::parser& parser, const std::string& text) {
  std::size_t members = 0;
  auto document = parser.iterate(text.data(), text.size(), text.capacity());
  for (auto node : document["nodes"].get_array()) members += scan_members(node.get_object());
  return members;
}

std::size_t scan_lines(simdjson::ondemand::parser& parser, const std::string& text) {
  std::size_t members = 0;
  simdjson::ondemand::document_stream lines;
  if (parser.iterate_many(text.data(), text.size(), std::size_t{1} << 20U).get(lines) != simdjson::SUCCESS)
    return 0;
  for (auto line : lines) members += scan_members(line.get_object());
  return members;
}

std::size_t read_text(const char* format, const std::string& text) {
  const FormatOptions options;
  const auto input = memory_input("bench", text);
  Diagnostics diagnostics;
  const auto reader = find_format(format).read({*input, 0, options, diagnostics});
  Trace out;
  if (!reader->next_rank(out)) std::abort();
  std::size_t nodes = 0;
  while (reader->next_nodes(out, 4096)) nodes += out.nodes.nodes.size();
  return nodes;
}

// Returns whether the limit is kept.
template <typename Scan>
bool measure(const std::string& what, const char* format, const std::string& text, std::size_t nodes, double limit,
             const Scan& scan) {
  simdjson::ondemand::parser parser;
  const bench::Best best = bench::best_of_both(
      [&] {
        if (scan(parser, text) < nodes) std::abort();
      },
      [&] {
        if (read_text(format, text) != nodes) std::abort();
      });
  const auto n = static_cast<double>(nodes);
  const auto bytes = static_cast<double>(text.size());
  const bool kept = best.work / best.floor <= limit;
  char verdict[64];
  std::snprintf(verdict, sizeof verdict, "%.1f x floor%s", limit, kept ? "" : " MISSED");
  bench::print_row(what + ", floor", n, "node", best.floor * 1e9 / n, bytes / best.floor / 1e6, 0, "");
  bench::print_row(what, n, "node", best.work * 1e9 / n, bytes / best.work / 1e6, best.work / best.floor, verdict);
  return kept;
}

bool measure_all(const std::string& of, const NodeTable& table) {
  const std::size_t nodes = table.nodes.size();
  const std::string document = write_text("json", table);
  bool kept = measure("json read, " + of, "json", document, nodes, 4, scan_document);
  kept &= measure("json read, " + of + ", spaced", "json", spread(document), nodes, 4, scan_document);
  kept &= measure("jsonl read, " + of, "jsonl", write_text("jsonl", table), nodes, 4, scan_lines);
  return kept;
}

NodeTable read_file(const char* path) {
  const FormatOptions options;
  Diagnostics diagnostics;
  const auto input = open_input(path);
  const auto reader = find_format("chakra").read({*input, 0, options, diagnostics});
  Trace trace;
  NodeTable all;
  if (!reader->next_rank(trace)) std::abort();
  while (reader->next_nodes(trace, 4096)) all.append(trace.nodes);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t nodes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  NodeTable table;
  for (std::uint64_t i = 0; i < nodes; ++i) bench::add_step(table, i);
  bench::print_head();
  bool kept = measure_all("steps of algorithms", table);
  for (int i = 2; i < argc; ++i) kept &= measure_all(argv[i], read_file(argv[i]));
  return kept ? 0 : 1;
}
