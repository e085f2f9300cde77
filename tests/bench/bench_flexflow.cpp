// SPDX-License-Identifier: MIT
// Speed and memory of reading FlexFlow task graphs, beside the floor in the same process.
//   bench_flexflow FILE...
// Floor: one pass over the text that counts its lines, plus protozero's encoding of the same nodes into one buffer.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/protozero_nodes.h"
#include "bench/table.h"
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
}

// What et-convert does between its input and its output, without the files; returns the number of nodes.
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

void bench_conversion(const std::string& name, const std::string& text) {
  std::vector<NodeTable> tables;
  read_graph(*memory_input(name, text), [&](TraceReader& reader, Trace& trace) {
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
      [&] { nodes = convert_in_memory(*memory_input(name, text), out); });
  if (lines == 0) std::exit(1);
  const auto n = static_cast<double>(nodes);
  bench::print_row("convert " + name + " / scan + encode", n, "node", best.work / n * 1e9,
                   static_cast<double>(text.size()) / best.work / 1e6, best.work / best.floor, "ratio 5");
}

void bench_memory(const std::string& name, const std::string& path) {
  std::string out;
  const auto n = static_cast<double>(convert_in_memory(*open_input(path), out));
  out = {};
  const auto [before, peak] = bench::memory_of([] { return 0; },
                                               [&](int) {
                                                 std::string bytes;
                                                 convert_in_memory(*open_input(path), bytes);
                                               });
  bench::print_row("peak memory, " + name + ", bytes/node", n, "node", 0, 0, peak * 1048576 / n, "ratio 400");
}

}  // namespace

int main(int argc, char** argv) {
  bench::print_head();
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    const std::string name = path.substr(path.rfind('/') + 1);
    bench_memory(name, path);
    bench_conversion(name, convert::open_input(path)->read_rest());
  }
  return 0;
}
