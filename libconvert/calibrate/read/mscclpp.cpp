// SPDX-License-Identifier: MIT
// JSON lines of MSCCL++'s benchmarks: times of its kernels, which replace the library's algorithms.
#include <optional>
#include <utility>

#include "calibrate/read/json_input.h"

namespace convert {
namespace {

struct MscclppLine {
  std::string name{}, kernel{}, ranks{}, ranks_of_node{}, bytes{}, time{};
};

MscclppLine read_mscclpp_line(JsonCursor& in) {
  MscclppLine line;
  json_members(in, [&](std::string_view key) {
    if (key == "name") {
      line.name = json_text(in);
      return;
    }
    const std::string_view value = in.skip();
    if (key == "kernel") line.kernel = value;
    if (key == "ranks") line.ranks = value;
    if (key == "ranksPerNode") line.ranks_of_node = value;
    if (key == "size") line.bytes = value;
    if (key == "time") line.time = value;
  });
  return line;
}

}  // namespace

Error programs_refused(const BenchmarkSource& source) {
  return source.failure(
      1, "these are kernels of MSCCL++, not calls of the library; et-calibrate --program ALGORITHM fits them");
}

Benchmark read_mscclpp(const BenchmarkSource& source) {
  if (!source.options.allow_programs) throw programs_refused(source);
  Benchmark benchmark;
  BenchmarkJson json(source);
  while (const std::optional<MscclppLine> of = json.next(read_mscclpp_line)) {
    const std::uint32_t line = json.line();
    const std::optional<Collective> collective = benchmark_collective(of->name);
    if (!collective) {
      source.warn(line, "not a collective of a machine: " + shown_word(of->name) + "; the line is omitted");
      continue;
    }
    BenchmarkPoint point{.collective = *collective,
                         .ranks = source.ranks(line, "ranks", of->ranks),
                         .bytes = source.bytes(line, "size", of->bytes),
                         .time_ns = source.time_ns(line, "time", of->time, 1000),
                         .set = "mscclpp kernel " + of->kernel.substr(0, 20),
                         .line = line};
    const std::uint32_t of_node = source.ranks(line, "ranksPerNode", of->ranks_of_node);
    point.nodes = source.nodes(point.ranks, (point.ranks + of_node - 1) / of_node);
    benchmark.points.push_back(std::move(point));
  }
  return benchmark;
}

}  // namespace convert
