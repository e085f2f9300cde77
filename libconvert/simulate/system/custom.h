// SPDX-License-Identifier: MIT
// Runs collectives whose algorithm is given as traces, one for each place in the group.
#pragma once

#include <cstdint>
#include <vector>

#include "feeder/feeder.h"
#include "simulate/astra/issue_order.h"
#include "simulate/engine/messages.h"
#include "simulate/engine/npu_events.h"
#include "simulate/program/op.h"

namespace convert {

// Holds the runs of custom algorithms that are under way.
class CustomState {
 public:
  // Holds what runs `code` on one NPU.
  struct Run {
    Feeder feeder{};
    const RankCode* code = nullptr;
    Rank npu = 0;
    std::uint32_t stream = 0;
    std::uint32_t collective = 0;    // see begin()
    std::uint32_t bucket_count = 1;  // see IssueArranger
  };
  // Returns the runs under way, whose feeder is not done, among others that have ended.
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }
  // Names a node that has been issued and has not ended.
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

// Runs custom algorithms on NPUs. Issues all nodes that nothing holds back at once, in ascending order of id or,
// by ASTRA-sim's rules, as their IssueOrder says; they need no resources and take no time but their own.
template <class Observer>
class CustomRuns : public CustomState {
 public:
  CustomRuns(NpuEvents<Observer>& events, Messages<Observer>& messages, Observer& observer)
      : events_(events), messages_(messages), observer_(observer) {}

  // Issues the first nodes of `code`, which has some, on `npu`. `collective` is 1 + the number of the collective in
  // SystemState::runs() if its messages are matched apart from those of other runs; else 0.
  void begin(Rank npu, const RankCode& code, std::uint32_t stream, std::uint32_t collective);

  // Ends op `index` (of a Waiter::custom_op). Returns 1 + the stream whose run has ended with it, else 0.
  std::uint32_t complete(std::uint32_t index);

 private:
  void issue(std::uint32_t run);
  void issue_in_order(std::uint32_t run, std::uint32_t ended);
  bool try_issue(std::uint32_t run, std::uint32_t node);

  NpuEvents<Observer>& events_;
  Messages<Observer>& messages_;
  Observer& observer_;
  IssueArranger arranger_;
};

}  // namespace convert
