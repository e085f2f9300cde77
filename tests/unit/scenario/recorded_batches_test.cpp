// SPDX-License-Identifier: MIT
// A recorded replay is independent of the number of nodes that the reader of a rank returns at once.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/batches.h"
#include "common/error_text.h"
#include "common/findings.h"
#include "sanitized.h"
#include "simulate/engine/recorded.h"

namespace convert {
namespace {

std::string text_of(const ReplayResult& r) {
  std::string text = std::to_string(r.total_ps) + ";";
  const auto add = [&](const auto& n) { text += " " + std::to_string(n); };
  for (const NpuResult& npu : r.npus) {
    add(npu.finish_ps.value_or(-1));
    for (const auto ps : {npu.compute_ps, npu.times.communication, npu.times.overlap}) add(ps);
    add(npu.nodes_done);
  }
  for (const WaitingNode& w : r.waits.waiting) add(w.node.node), add(w.on.node);
  for (const NodeRef& n : r.waits.cycle) add(n.node);
  for (const Slice& s : r.timeline.slices) {
    for (const auto n : {s.begin_ps, s.end_ps, static_cast<Picoseconds>(s.node), static_cast<Picoseconds>(s.bytes)})
      add(n);
    add(s.peer);
    text += " " + std::string(r.timeline.name(s));
  }
  if (!r.explanation) return text;
  for (const Explanation::Step& s : r.explanation->steps) {
    text += " " + s.name;
    for (const auto n : {s.begin, s.time, static_cast<Picoseconds>(s.what), static_cast<Picoseconds>(s.then)})
      add(n);
  }
  return text;
}

std::string replayed(const std::vector<Trace>& traces, std::size_t nodes, const ReplayOptions& options) {
  Diagnostics diagnostics;
  RecordedReplay replay(options, diagnostics);
  test::BatchedSet set(traces, nodes);
  const NodeParts parts = replay.parts();
  try {
    set.for_each_rank(
        1,
        [&](TraceReader& reader, Trace& trace) {
          RecordedReplay::RankReplay rank(replay, trace);
          read_nodes(reader, trace, parts, [&] { rank.add_batch(); });
          return rank.run();
        },
        [&](RecordedRank&& rank) { replay.add(std::move(rank)); });
    const auto result = replay.finish();
    if (result) return text_of(*result);
  } catch (const Error& error) {
    return test::text_of(error);
  }
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) text += format_diagnostic(d) + "\n";
  return text;
}

TEST(RecordedBatches, RunsAreThoseOfWholeRanks) {
  std::size_t replays = 0;
  for (std::uint32_t seed = 0; seed < test::rounds(240U); ++seed) {
    std::vector<Trace> traces;
    for (Rank r = 0; r < 1 + seed % 3; ++r) traces.push_back(test::odd_trace(r, 7 * seed + r, seed % 4 != 0));
    ReplayOptions options;
    options.timeline = seed % 2 == 0;
    if (seed % 5 == 0) options.explain = ExplainTarget{.end = true};
    const std::string expected = replayed(traces, 1000, options);
    replays += expected.find("; ") != std::string::npos ? 1 : 0;
    for (const std::size_t nodes : {std::size_t{1}, std::size_t{3}, std::size_t{16}})
      ASSERT_EQ(replayed(traces, nodes, options), expected) << "seed " << seed << ", " << nodes;
  }
  EXPECT_GT(replays, test::rounds(40U));
}

}  // namespace
}  // namespace convert
