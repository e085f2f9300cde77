// SPDX-License-Identifier: MIT
// Replays what was recorded: each rank by itself, every node for its recorded duration and as soon as the nodes
// that it depends on have ended. Without messages and resources a rank takes the longest path through its graph.
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
#include "simulate/engine/replay.h"
#include "simulate/explain/explain.h"
#include "simulate/program/program.h"
#include "simulate/waits/deadlock.h"

namespace convert {

// Holds what one rank came to.
struct RecordedRank {
  Rank rank = 0;
  NpuResult npu{};
  Picoseconds end_ps = 0;  // of its last node
  WaitReport waits{};      // if not all nodes ran
  Timeline timeline{};
  std::optional<Explanation> explanation{};
  std::uint64_t untimed_communication = 0;  // nodes without a recorded duration; they take no time
  std::unique_ptr<Diagnostics> findings{};
};

class RecordedReplay {
 public:
  // Uses `timeline`, `explain` and `slow` of the options only.
  RecordedReplay(ReplayOptions options, Diagnostics& diagnostics);

  // Replays one rank; several threads may call it at once. Throws Error if time overflows, and Error(usage) if the
  // rank has no such node to explain.
  [[nodiscard]] RecordedRank run(const Trace& trace) const;

  // Adds a rank to the result; ranks come in ascending order.
  void add(RecordedRank&& rank);
  // Returns the result, or nothing if there were errors. Throws Error(usage) if there is no such rank to explain.
  [[nodiscard]] std::optional<ReplayResult> finish();

 private:
  void add_waits(WaitReport&& waits);
  void add_timeline(const Timeline& timeline);

  ReplayOptions options_;
  Diagnostics& diagnostics_;
  ReplayResult result_;
  std::uint64_t untimed_communication_ = 0;
};

}  // namespace convert
