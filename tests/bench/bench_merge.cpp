// SPDX-License-Identifier: MIT
// Speed and memory of et-merge: rings put in the place of a workload's all-reduces, beside its floor in the same
// process: protozero's encoding of the nodes that come out, into one buffer (those of one rank, over and over: they
// are alike).
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/protozero_nodes.h"
#include "bench/table.h"
#include "config/collective_rules.h"
#include "core/rank_list.h"
#include "formats/format.h"
#include "generate/trace_builder.h"
#include "sets/derived/merging.h"
#include "sets/made_set.h"

namespace {

using namespace convert;

constexpr int collectives = 200;
constexpr std::int64_t bytes = 1 << 20;

// All-reduces, each after the one before.
std::string make_workload(const std::string& folder, Rank ranks) {
  std::vector<Trace> traces;
  for (Rank r = 0; r < ranks; ++r) {
    TraceBuilder b(r);
    TraceBuilder::Parents after;
    for (int i = 0; i < collectives; ++i) after = {b.collective(Collective::all_reduce, bytes, after)};
    traces.push_back(b.finish());
  }
  const std::string prefix = folder + "/w" + std::to_string(ranks);
  write_traces(traces, prefix);
  return prefix;
}

struct Merging {
  Diagnostics diagnostics;
  std::unique_ptr<TraceSource> source;
  std::unique_ptr<MergedSet> set;

  Merging(const std::string& prefix, const std::string& ranks) {
    source = std::make_unique<TraceSource>(SourceOptions{.operands = {prefix}}, diagnostics);
    if (!source->prepare(false)) std::exit(1);
    MergeOptions options{.rules = {parse_collective_rule("all_reduce=ring", true)}};
    if (!ranks.empty()) options.ranks = parse_ranks(ranks);
    set = std::make_unique<MergedSet>(*source, std::move(options), diagnostics);
  }
};

// What et-merge does between its input and its files. Returns the number of nodes.
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
          constexpr std::size_t buffer = 1 << 20;  // as a file takes them
          if (out.size() > buffer) out.clear();
        }
        return count;
      },
      [&](std::size_t count) { nodes += count; });
  return nodes;
}

void bench_merge(const std::string& folder, Rank of_ranks, const std::string& ranks) {
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
  const auto count = static_cast<double>(nodes);
  const std::string what = std::to_string(collectives) + " rings, ranks " +
                           (ranks.empty() ? "0-" + std::to_string(of_ranks - 1) : ranks) + " of " +
                           std::to_string(of_ranks);
  bench::print_row("merge " + what + " / encode", count, "node", best.work / count * 1e9, 0, best.work / best.floor,
                   "ratio 3");
  const auto [before, peak] = bench::memory_of([] { return 0; },
                                               [&](int) {
                                                 std::string bytes_out;
                                                 merge_in_memory(prefix, ranks, bytes_out);
                                               });
  bench::print_row("memory beyond 16 MB, " + what + " / largest rank", static_cast<double>(largest), "byte", 0, 0,
                   (peak - 16) / (static_cast<double>(largest) / 1048576), "ratio 3");
}

}  // namespace

int main() {
  std::string folder = std::filesystem::temp_directory_path() / "bench-merge-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return 2;
  bench::print_head();
  bench_merge(folder, 64, "");
  bench_merge(folder, 1024, "0-7");
  std::filesystem::remove_all(folder);
  return 0;
}
