// SPDX-License-Identifier: MIT
// Speed of Chakra traces as JSON, for generated nodes of 19 attributes and for the nodes of files, compared with
// floors in the same process. Reading: simdjson's on-demand walk over the members of all nodes of the same text.
// Writing: formatting the same text from the same table into an existing buffer.
#include <simdjson.h>

#include <charconv>
#include <cstdlib>
#include <string>

#include "bench/nodes.h"
#include "bench/report.h"
#include "formats/format.h"
#include "formats/set_writer.h"
#include "sets/set_source.h"

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

// Breaks lines and adds blanks after commas and colons, as Python's json.dump and editors do.
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

template <typename Scan>
void measure_reading(bench::Report& report, const std::string& what, const char* format, const std::string& text,
                     std::size_t nodes, const Scan& scan, double limit = 4) {
  const std::string name = std::string(format) + " read, " + what;
  if (!report.wants({name})) return;
  simdjson::ondemand::parser parser;
  const bench::Best best = bench::best_of_both(
      [&] {
        if (scan(parser, text) < nodes) std::abort();
      },
      [&] {
        if (read_text(format, text) != nodes) std::abort();
      });
  report.add_time(name, "node", static_cast<double>(nodes), best, bench::times_floor(limit));
}

// Formats nodes of make_steps() as lines.
void format_lines(const NodeTable& t, std::string& out) {
  const auto put = [&](std::string_view before, auto number) {
    char digits[24];
    out += before;
    out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  };
  for (const Node& n : t.nodes) {
    out += "{\"rank\":0";
    if (n.id != 0) put(",\"id\":", n.id);
    out += ",\"name\":\"";
    out += t.name(n);
    out += n.type == NodeType::comm_send ? "\",\"type\":\"COMM_SEND_NODE\"" : "\",\"type\":\"COMM_RECV_NODE\"";
    std::string_view before = ",\"data_deps\":[";
    for (const NodeId id : t.data_deps(n)) {
      put(before, id);
      before = ",";
    }
    if (before == ",") out += ']';
    if (n.duration_us != 0) put(",\"duration_micros\":", n.duration_us);
    before = ",\"attr\":[{\"name\":\"";
    for (const Attr& a : t.attributes(n)) {
      out += before;
      out += a.name.view();
      if (a.kind == Kind::string_val) {
        out += "\",\"string_val\":\"";
        out += t.string(a);
        out += '"';
      } else if (a.kind == Kind::bool_val) {
        out += a.bits != 0 ? "\",\"bool_val\":true" : "\",\"bool_val\":false";
      } else {
        put(a.kind == Kind::int32_val ? "\",\"int32_val\":" : "\",\"int64_val\":",
            static_cast<std::int64_t>(a.bits));
      }
      before = "},{\"name\":\"";
    }
    out += "}]}\n";
  }
}

void measure_writing(bench::Report& report, const std::string& what, const NodeTable& table) {
  const std::string name = "jsonl write, " + what;
  if (!report.wants({name})) return;
  Trace trace;
  trace.nodes = table;
  std::string plain;
  std::string text;
  const FormatOptions options;
  const bench::Best best = bench::best_of_both(
      [&] {
        plain.clear();
        format_lines(table, plain);
      },
      [&] {
        const auto writer = find_format("jsonl").write(options);
        std::string head;
        writer->begin_rank(trace, 0, false, head);
        text.clear();
        writer->nodes(trace, text);
      });
  if (text != plain) throw Error("the floor of jsonl formats another text");
  report.add_time(name, "node", static_cast<double>(table.nodes.size()), best, bench::at_most(1500));
}

void measure_all(bench::Report& report, const std::string& of, const NodeTable& table) {
  const std::size_t nodes = table.nodes.size();
  const std::string document = write_text("json", table);
  measure_reading(report, of, "json", document, nodes, scan_document);
  measure_reading(report, of + ", spaced", "json", spread(document), nodes, scan_document);
  measure_reading(report, of, "jsonl", write_text("jsonl", table), nodes, scan_lines);
}

// Formats a file of PARAM's: all-reduces of two ranks.
void format_param(std::size_t calls, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < calls; ++i) {
    char digits[24];
    const std::string_view size(digits, std::to_chars(digits, digits + sizeof digits, 1024 + i).ptr);
    out += i == 0 ? "\n" : ",\n";
    out += R"( {"comms":"all_reduce","world_size":2,"in_msg_size":)";
    out += size;
    out += R"(,"out_msg_size":)";
    out += size;
    out += R"(,"dtype":"float32"})";
  }
  out += "\n]\n";
}

std::size_t scan_calls(simdjson::ondemand::parser& parser, const std::string& text) {
  std::size_t members = 0;
  auto document = parser.iterate(text.data(), text.size(), text.capacity());
  for (auto call : document.get_array()) members += scan_members(call.get_object());
  return members;
}

void measure_param(bench::Report& report) {
  const std::size_t calls = report.smoke ? 1000 : 100'000;
  std::string text, plain, written;
  format_param(calls, text);
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  measure_reading(report, "calls of a rank", "param", text, calls, scan_calls, 30);
  const std::string name = "param write / formatting, calls of a rank";
  if (!report.wants({name})) return;
  const FormatOptions options;
  Diagnostics diagnostics;
  const auto input = memory_input("bench", text);
  const auto reader = find_format("param").read({*input, 0, options, diagnostics});
  Trace trace;
  if (!reader->next_rank(trace)) std::abort();
  read_nodes(*reader, trace);
  const bench::Best best = bench::best_of_both(
      [&] {
        plain.clear();
        format_param(calls, plain);
      },
      [&] {
        written.clear();
        const auto writer = find_format("param").write_set(options);
        const auto draft = writer->draft(trace, {});
        writer->write(*draft, {.ranks = 2}, written);
      });
  if (written != plain) throw Error("the floor of param formats another text");
  report.add_time(name, "node", static_cast<double>(calls), best, bench::times_floor(70));
}

NodeTable read_file(const std::string& path) {
  const FormatOptions options;
  Diagnostics diagnostics;
  const auto input = open_input(path);
  const auto reader = find_format("chakra").read({*input, 0, options, diagnostics});
  Trace trace;
  NodeTable all;
  if (!reader->next_rank(trace)) throw input_error({.file = path}, "holds no trace");
  while (reader->next_nodes(trace, 4096)) all.append(trace.nodes);
  bench::check(diagnostics);
  if (all.nodes.empty()) throw input_error({.file = path}, "holds no nodes");
  return all;
}

void measure(bench::Report& report) {
  const NodeTable table = bench::make_steps(report.smoke ? 1000 : 100'000);
  const std::string what = "steps of algorithms";
  measure_all(report, what, table);
  measure_writing(report, what, table);
  measure_param(report);
  for (const std::string& path : report.files) measure_all(report, bench::file_name(path), read_file(path));
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, {"[FILE.et...]", 0, 99}, measure); }
