// SPDX-License-Identifier: MIT
// Speed and memory of reading FlexFlow task graphs, compared with the floor in the same process.
// Floor: one pass over the text that counts its lines, plus protozero's encoding of the same nodes into one buffer.
#include <algorithm>
#include <string>
#include <vector>

#include "bench/protozero_nodes.h"
#include "bench/report.h"
#include "formats/format.h"
#include "io/input.h"

namespace {

using namespace convert;

constexpr std::size_t batch_nodes = 4096;

template <class Take>
void read_graph(Input& input, const Take& take) {
  const FormatOptions options;
  Diagnostics diagnostics;
  const auto reader = find_format("flexflow").read({input, std::nullopt, options, diagnostics});
  Trace trace;
  while (reader->next_rank(trace)) take(*reader, trace);
  bench::check(diagnostics);
}

// The work of et-convert between input and output, without files. Returns the number of nodes.
std::size_t convert_in_memory(Input& input, std::string& out) {
  const auto writer = find_format("chakra").write({});
  std::size_t nodes = 0;
  read_graph(input, [&](TraceReader& reader, Trace& trace) {
    out.clear();
    writer->begin_rank(trace, 0, true, out);
    while (reader.next_nodes(trace, batch_nodes)) {
      writer->nodes(trace, out);
      nodes += trace.nodes.nodes.size();
    }
  });
  return nodes;
}

void measure_speed(bench::Report& report, const std::string& path) {
  const std::string name = "flexflow / scan + encode, " + bench::file_name(path);
  if (!report.wants({name})) return;
  const std::string text = open_input(path)->read_rest();
  std::vector<NodeTable> tables;
  read_graph(*memory_input(path, text), [&](TraceReader& reader, Trace& trace) {
    while (reader.next_nodes(trace, std::size_t{1} << 30U)) tables.push_back(trace.nodes);
  });
  std::string message;
  std::string out;
  std::size_t nodes = 0;
  std::ptrdiff_t lines = 0;
  const bench::Best best = bench::best_of_both(
      [&] {
        lines += std::count(text.begin(), text.end(), '\n');
        for (const NodeTable& t : tables) {
          out.clear();
          bench::encode_nodes(t, message, out);
        }
      },
      [&] { nodes = convert_in_memory(*memory_input(path, text), out); });
  if (lines == 0 || nodes == 0) throw input_error({.file = path}, "holds no nodes");
  const auto n = static_cast<double>(nodes);
  report.add_time(name, "node", n, best, bench::times_floor(5));
}

void measure_memory(bench::Report& report, const std::string& path) {
  const std::string name = "flexflow, memory / text, " + bench::file_name(path);
  std::string out;
  const std::size_t nodes = convert_in_memory(*open_input(path), out);
  if (nodes == 0) throw input_error({.file = path}, "holds no nodes");
  if (!report.wants({name})) return;
  const auto n = static_cast<double>(nodes);
  const auto bytes = static_cast<double>(open_input(path)->read_rest().size());
  out = {};
  const double peak = bench::peak_of([&] { convert_in_memory(*open_input(path), out); });
  report.add({.name = name,
              .unit = "B/node",
              .figure = peak * 1048576 / n,
              .floor = bytes / n,
              .limit = bench::at_most(400)});
}

void measure(bench::Report& report) {
  // Memory is measured first, since a child process starts with the memory of this one.
  for (const std::string& path : report.files) measure_memory(report, path);
  for (const std::string& path : report.files) measure_speed(report, path);
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, {"FILE.dot...", 1, 99}, measure); }
