// SPDX-License-Identifier: MIT
// Speed and memory of et-merge: rings replace a workload's all-reduces, compared with the floor in the same
// process: protozero's encoding of the resulting nodes into one buffer (the nodes of one rank repeatedly, since all
// ranks are equal).
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/protozero_nodes.h"
#include "bench/report.h"
#include "bench/scratch.h"
#include "config/collective_rules.h"
#include "core/rank_list.h"
#include "formats/format.h"
#include "generate/trace_builder.h"
#include "sets/derived/merging.h"
#include "sets/made_set.h"

namespace {

using namespace convert;

int collectives = 200;
constexpr std::int64_t bytes = 1 << 20;

// All-reduces, each after the preceding one.
std::string make_workload(const std::string& folder, Rank ranks) {
  std::vector<Trace> traces;
  for (Rank r = 0; r < ranks; ++r) {
    TraceBuilder b(r);
    TraceBuilder::Parents after;
    for (int i = 0; i < collectives; ++i) after = {b.collective(Collective::all_reduce, bytes, after)};
    traces.push_back(b.finish());
  }
  std::string prefix = folder + "/w" + std::to_string(ranks);
  write_traces(traces, prefix);
  return prefix;
}

struct Merging {
  Diagnostics diagnostics;
  std::unique_ptr<TraceSource> source;
  std::unique_ptr<MergedSet> set;

  Merging(const std::string& prefix, const std::string& ranks) {
    source = std::make_unique<TraceSource>(SourceOptions{.operands = {prefix}}, diagnostics);
    if (!source->prepare(false)) throw Error("the workload cannot be read");
    MergeOptions options{.rules = {parse_collective_rule("all_reduce=ring")}};
    if (!ranks.empty()) options.ranks = parse_ranks(ranks);
    set = std::make_unique<MergedSet>(*source, std::move(options), diagnostics);
  }
};

// The work of et-merge between its input and its files. Returns the number of nodes.
std::size_t merge_in_memory(const std::string& prefix, const std::string& ranks, std::string& out) {
  Merging merging(prefix, ranks);
  const auto writer = find_format("chakra").write({});
  std::size_t nodes = 0;
  merging.set->for_each_rank(
      1,
      [&](TraceReader& reader, Trace& head) {
        out.clear();
        writer->begin_rank(head, 0, true, out);
        constexpr std::size_t batch = 4096;
        std::size_t count = 0;
        while (reader.next_nodes(head, batch)) {
          count += head.nodes.nodes.size();
          writer->nodes(head, out);
          constexpr std::size_t buffer = 1 << 20;  // as for files
          if (out.size() > buffer) out.clear();
        }
        return count;
      },
      [&](std::size_t count) { nodes += count; });
  return nodes;
}

void measure_merging(bench::Report& report, const std::string& folder, Rank of_ranks, const std::string& ranks) {
  const std::string what = std::to_string(collectives) + " rings, ranks " +
                           (ranks.empty() ? "0-" + std::to_string(of_ranks - 1) : ranks) + " of " +
                           std::to_string(of_ranks);
  const std::string name = "merge / encode, " + what;
  const std::string name_of_memory = "merge, memory beyond 16 MiB / largest rank, " + what;
  if (!report.wants({name, name_of_memory})) return;
  const std::string prefix = make_workload(folder, of_ranks);
  std::string message;
  std::string out;
  std::size_t nodes = 0;
  std::size_t largest = 0;
  bench::Best best;
  {
    const std::vector<Trace> one = Merging(prefix, "0").set->load(1);
    const std::size_t written = ranks.empty() ? of_ranks : parse_ranks(ranks).size();
    best = bench::best_of_both(
        [&] {
          for (std::size_t i = 0; i < written; ++i) {
            out.clear();
            bench::encode_nodes(one.front().nodes, message, out);
            largest = out.size();
          }
        },
        [&] { nodes = merge_in_memory(prefix, ranks, out); });
  }
  report.add_time(name, "node", static_cast<double>(nodes), best, bench::times_floor(3));
  out = {};
  const double peak = bench::peak_of([&] { merge_in_memory(prefix, ranks, out); });
  report.add({.name = name_of_memory,
              .unit = "MiB",
              .figure = std::max(peak - 16, 0.0),
              .floor = static_cast<double>(largest) / 1048576,
              .limit = bench::times_floor(3)});
}

void measure(bench::Report& report) {
  const bench::Scratch folder;
  if (report.smoke) collectives = 2;
  measure_merging(report, folder.path(), report.smoke ? 4 : 64, "");
  measure_merging(report, folder.path(), report.smoke ? 16 : 1024, "0-7");
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, {}, measure); }
