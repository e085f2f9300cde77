// SPDX-License-Identifier: MIT
// Replays recorded times: each rank separately, every node for its recorded duration, as soon as its dependencies
// have ended. Without messages and resources, a rank takes the longest path through its graph.
//
//   RecordedReplay replay(options, diagnostics);
//   while (…) replay.add(replay.run(trace));                        // any rank may run, in any thread
//   if (auto result = replay.finish()) …
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/diagnostic.h"
#include "core/timeline.h"
#include "core/trace.h"
#include "graph/kept_nodes.h"
#include "simulate/engine/replay.h"
#include "simulate/explain/explain.h"
#include "simulate/program/omissions.h"
#include "simulate/program/program.h"
#include "simulate/waits/deadlock.h"

namespace convert {

// Result of one rank.
struct RecordedRank {
  Rank rank = 0;
  NpuResult npu{};
  Picoseconds end_ps = 0;  // end of its last node
  WaitReport waits{};      // if not all nodes ran
  Timeline timeline{};
  std::optional<Explanation> explanation{};
  Omissions omitted{};
  std::unique_ptr<Diagnostics> findings{};
};

class RecordedReplay {
 public:
  // Uses only `timeline`, `explain` and `slow` of the options.
  RecordedReplay(ReplayOptions options, Diagnostics& diagnostics);

  // Replays one rank, whose nodes may come in batches. Ranks may be replayed in parallel.
  class RankReplay {
   public:
    // Both must outlive this.
    RankReplay(const RecordedReplay& replay, Trace& trace);
    ~RankReplay();
    RankReplay(const RankReplay&) = delete;
    RankReplay& operator=(const RankReplay&) = delete;
    // Compiles the nodes that the trace currently contains, after the nodes of previous batches. Throws as
    // NodeCompiler does.
    void add_batch();
    // Replays the rank; the trace must contain all nodes, with at least the parts in parts(). May move parts out of
    // the trace. Throws Error if time overflows, and Error(usage) if the rank has no such node to explain.
    [[nodiscard]] RecordedRank run();

   private:
    class Work;
    std::unique_ptr<Work> work_;
  };
  [[nodiscard]] NodeParts parts() const;
  // Replays a rank whose nodes are all present.
  [[nodiscard]] RecordedRank run(Trace trace) const;

  // Adds a rank to the result; ranks must be added in ascending order.
  void add(RecordedRank&& rank);
  // Returns the result, or nothing if there were errors. Throws Error(usage) if there is no such rank to explain.
  [[nodiscard]] std::optional<ReplayResult> finish();

 private:
  void add_waits(WaitReport&& waits);
  void add_timeline(const Timeline& timeline);

  ReplayOptions options_;
  Diagnostics& diagnostics_;
  ReplayResult result_;
  Omissions omitted_{};
};

}  // namespace convert
