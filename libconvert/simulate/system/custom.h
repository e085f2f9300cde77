// SPDX-License-Identifier: MIT
// Runs collectives whose algorithm is given as traces, one trace for each rank of the group.
#pragma once

#include <cstdint>
#include <vector>

#include "feeder/feeder.h"
#include "simulate/astra/issue_order.h"
#include "simulate/engine/messages.h"
#include "simulate/engine/npu_events.h"
#include "simulate/program/op.h"

namespace convert {

// Runs of custom algorithms that are under way.
class CustomState {
 public:
  // A run of `code` on one NPU.
  struct Run {
    Feeder feeder{};
    const RankCode* code = nullptr;
    Rank npu = 0;
    std::uint32_t stream = 0;
    std::uint32_t collective = 0;    // see begin()
    std::uint32_t bucket_count = 1;  // see IssueArranger
  };
  // Returns the runs. The feeder of a run under way is not done; other runs have ended.
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }
  // A node that has been issued and has not ended.
  struct Pending {
    std::uint32_t run;
    std::uint32_t node;
  };
  [[nodiscard]] const Pending& pending(std::uint32_t index) const { return pending_[index]; }

 protected:
  std::vector<Run> runs_;
  std::vector<std::uint32_t> unused_runs_;
  Pool<Pending, &Pending::node> pending_;
};

// Runs custom algorithms on NPUs. Issues all free nodes at once, in ascending order of id or, by ASTRA-sim's rules,
// in the order of IssueOrder. The nodes need no resources and take only their own time.
template <class Observer>
class CustomRuns : public CustomState {
 public:
  // The first nodes of a run on a machine begin after `launch`.
  CustomRuns(NpuEvents<Observer>& events, Messages<Observer>& messages, Observer& observer, Picoseconds launch)
      : events_(events), messages_(messages), observer_(observer), launch_(launch) {}

  // Issues the first nodes of `code`, which is not empty, on `npu`. `collective` is 1 + the number of the
  // collective in SystemState::runs() if its messages are matched separately from other runs; else 0.
  void begin(Rank npu, const RankCode& code, std::uint32_t stream, std::uint32_t collective);

  // Begins op `index` (of a Waiter::custom_launch).
  void begin_work(std::uint32_t index);
  // Ends op `index` (of a Waiter::custom_op). Returns 1 + the stream whose run has ended with it, else 0.
  std::uint32_t complete(std::uint32_t index);

 private:
  void issue(std::uint32_t run);
  void issue_in_order(std::uint32_t run, std::uint32_t ended);
  bool try_issue(std::uint32_t run, std::uint32_t node);

  NpuEvents<Observer>& events_;
  Messages<Observer>& messages_;
  Observer& observer_;
  const Picoseconds launch_;
  IssueArranger arranger_;
};

}  // namespace convert
