// SPDX-License-Identifier: MIT
#include "calibrate/read/read.h"

#include "calibrate/read/source.h"
#include "util/utf8.h"

namespace convert {
namespace {

constexpr const char* accepted_benchmarks =
    "accepted are logs of nccl-tests and rccl-tests (text, or JSON by -J), JSON lines of NCCL Inspector or "
    "MSCCL++, "
    "XLA's table of collectives, and CSV with the columns collective,ranks,bytes,us";

Benchmark read_any_benchmark(const BenchmarkSource& source) {
  const std::string_view text = source.text;
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos)
    throw source.failure(0, std::string("the file is empty; ") + accepted_benchmarks);
  if (text[first] == '{') {
    if (has("\"coll_perf\"")) return read_inspector(source);
    if (has("\"ranksPerNode\"")) return read_mscclpp(source);
    if (has("\"results\"") || has("\"nccl_version\"")) return read_nccl_json(source);
  }
  if (has("Initializing MSCCL++")) throw programs_refused(source);
  if (is_benchmark_csv(text)) return read_benchmark_csv(source);
  if (is_nccl_log(text)) return read_nccl_log(source);
  if (has("network_throughput_bytes_per_sec")) return read_xla_table(source);
  throw source.failure(0, std::string("the text is not a benchmark of collectives; ") + accepted_benchmarks);
}

void choose_times(Benchmark& benchmark, TimeChoice times) {
  if (times == TimeChoice::best) return;
  for (BenchmarkPoint& point : benchmark.points) {
    if (times == TimeChoice::in) point.time_ns = point.in_place_ns.value_or(point.time_ns);
    point.in_place_ns.reset();
  }
}

}  // namespace

Benchmark read_benchmark(const std::string& file, std::string_view text, const BenchmarkReadOptions& options,
                         Diagnostics& diagnostics) {
  const BenchmarkSource source{
      .file = file, .text = without_mark(text), .options = options, .diagnostics = diagnostics};
  Benchmark benchmark = read_any_benchmark(source);
  benchmark.file = file;
  if (benchmark.points.empty()) throw source.failure(0, "no measurement; a row of a table states size and time");
  choose_times(benchmark, options.times);
  return benchmark;
}

}  // namespace convert
