// SPDX-License-Identifier: MIT
#include "simulate/system/custom.h"

#include <algorithm>

#include "simulate/explain/causes.h"
#include "simulate/program/send_ways.h"
#include "simulate/symmetry/order_observer.h"
#include "simulate/symmetry/ordered_causes.h"

namespace convert {

template <class Observer>
void CustomRuns<Observer>::begin(Rank npu, const RankCode& code, std::uint32_t stream, std::uint32_t collective) {
  std::uint32_t run = 0;
  if (unused_runs_.empty()) {
    run = static_cast<std::uint32_t>(runs_.size());
    runs_.emplace_back();
  } else {
    run = unused_runs_.back();
    unused_runs_.pop_back();
  }
  Run& r = runs_[run];
  if (r.code == &code) {
    r.feeder.reset();
  } else {
    r.feeder = code.feeder;
  }
  r.code = &code;
  r.npu = npu;
  r.stream = stream;
  r.collective = collective;
  if (code.issue_order == nullptr) return issue(run);
  r.bucket_count = code.issue_order->bucket_count;
  r.feeder.issue_all(
      [&](std::span<std::uint32_t> fresh) {
        std::copy_n(code.issue_order->first.begin(), fresh.size(), fresh.begin());
      },
      [&](std::uint32_t node) { try_issue(run, node); });
}

template <class Observer>
void CustomRuns<Observer>::issue(std::uint32_t run) {
  Feeder& feeder = runs_[run].feeder;
  do {
    feeder.issue([&](std::uint32_t node) { return try_issue(run, node); });
  } while (feeder.free_nodes() != 0);
}

// Issues the nodes that the end of a node has freed.
template <class Observer>
void CustomRuns<Observer>::issue_in_order(std::uint32_t run, std::uint32_t ended) {
  Run& r = runs_[run];
  r.feeder.issue_all(
      [&](std::span<std::uint32_t> fresh) { arranger_.arrange(*r.code, r.feeder, ended, fresh, r.bucket_count); },
      [&](std::uint32_t node) { try_issue(run, node); });
}

template <class Observer>
bool CustomRuns<Observer>::try_issue(std::uint32_t run, std::uint32_t node) {
  const Run& r = runs_[run];
  observer_.offered(r.npu);
  const std::uint32_t index = pending_.add({run, node});
  if (r.code->ops[node].program.is_first()) {
    events_.add(r.npu, launch_, {Waiter::custom_launch, index});
  } else {
    begin_work(index);
  }
  return true;
}

template <class Observer>
void CustomRuns<Observer>::begin_work(std::uint32_t index) {
  const std::uint32_t node = pending_[index].node;
  const Run& r = runs_[pending_[index].run];
  const Op& op = r.code->ops[node];
  const Waiter waiter{Waiter::custom_op, index};
  if (op.type != OpType::send && op.type != OpType::recv) return events_.add(r.npu, op.value, waiter);
  std::uint32_t channel = messages_.channel(op.channel);
  if (r.collective != 0) {
    ChannelKey key = messages_.key(channel);
    key.run = r.collective;
    channel = messages_.acquire(key);
  }
  if (op.type == OpType::send) {
    if (r.code->way_of != nullptr) {
      ScheduledWay way = (*r.code->way_of)[node];
      way.run = TurnTable::custom_run(r.collective);
      messages_.go_by(way);
    }
    if (op.program.of_program()) messages_.next_is_of_program(op.program.protocol());
    messages_.send(channel, waiter);
  } else {
    messages_.receive(channel, r.npu, waiter);
  }
  if (r.collective != 0) messages_.release(channel);
}

template <class Observer>
std::uint32_t CustomRuns<Observer>::complete(std::uint32_t index) {
  const Pending p = pending_[index];
  pending_.remove(index);
  Run& r = runs_[p.run];
  r.feeder.complete(p.node);
  if (!r.feeder.done()) {
    if (r.code->issue_order != nullptr) {
      issue_in_order(p.run, p.node);
    } else {
      issue(p.run);
    }
    return 0;
  }
  unused_runs_.push_back(p.run);
  return r.stream + 1;
}

template class CustomRuns<NoObserver>;
template class CustomRuns<OrderObserver>;
template class CustomRuns<Causes>;
template class CustomRuns<OrderedCauses>;

}  // namespace convert
