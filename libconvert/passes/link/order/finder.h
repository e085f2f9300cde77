// SPDX-License-Identifier: MIT
// Visits all threads of a rank at once: order.cpp the CPU threads, device.cpp the operations that they launch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/id_lookup.h"
#include "passes/link/comm_calls.h"
#include "passes/link/order/events.h"
#include "passes/link/order/nodes.h"
#include "passes/link/order/order.h"
#include "passes/link/order/storages.h"
#include "passes/link/order/streams.h"
#include "passes/link/report.h"

namespace convert {

class OrderFinder {
 public:
  // All arguments must outlive this object.
  OrderFinder(const Trace& host, const Profile* device, const Operators& operators, const OrderOptions& options,
              LinkReport& report)
      : host_(host), device_(device), operators_(operators), options_(options), report_(report) {}

  Order find();

 private:
  // Tolerated difference between the clocks of CPU and device; smaller contradictions do not count.
  static constexpr std::int64_t tolerance_ns = 2000;

  struct Thread {
    std::vector<std::uint32_t> open;     // operators that have begun and not ended
    std::uint32_t last = no_index;       // node of the last stretch
    std::uint32_t growing = no_index;    // node whose stretch continues; none: there is a gap since since_ns
    std::int64_t since_ns = 0;           // begin of the stretch or gap
    std::int64_t last_end_ns = 0;        // of an operator
    std::vector<OrderedDep> pending;     // dependencies of the next stretch
    std::vector<std::uint32_t> untimed;  // operators without a time that become nodes at the next cut
    std::unordered_map<std::uint32_t, std::uint32_t>
        // by stream: number of its operations that were waited for
        waited;
  };
  // State of a device operation between its launch and its node.
  struct Operation {
    std::uint32_t launch = 0;         // number; 0: not launched yet
    std::uint32_t after = no_index;   // node of the stretch that launched it
    std::uint32_t caller = no_index;  // operator
    std::uint32_t node = no_index;    // the first of its nodes
    std::int64_t call_ns = 0;
    std::int64_t ready_ns = 0;  // end of the stretch that launched it
    Range parts{};              // communications that the kernel implements together
    [[nodiscard]] std::uint32_t nodes() const { return std::max(parts.count, 1U); }
  };

  // Returns the largest rounding error of times of one clock.
  [[nodiscard]] std::int64_t rounding_ns() const { return device_->resolution_ns > 1 ? device_->resolution_ns : 0; }
  void prepare();
  void on_event(std::uint32_t thread, const ThreadEvent& event);
  void on_orphan(std::uint32_t thread, const Orphan& orphan, std::int64_t time_ns);
  void take_over(std::uint32_t thread, std::uint32_t burst, std::int64_t time_ns);
  void hand_back(std::uint32_t thread, const Burst& burst);
  void begin_operator(std::uint32_t thread, std::uint32_t op, std::int64_t time_ns);
  std::uint32_t begin_node(std::uint32_t thread, std::uint32_t op);
  void add_untimed(std::uint32_t thread);
  void end_operator(std::uint32_t thread, std::uint32_t op, std::int64_t time_ns);
  void on_call(std::uint32_t thread, std::uint32_t index, std::int64_t time_ns);
  void launch(std::uint32_t thread, std::uint32_t operation, std::int64_t call_ns, std::uint32_t caller);
  bool synchronise(std::uint32_t thread, const Profile::Call& call);
  bool synchronise_unknown(std::uint32_t thread, const Profile::Call& call);
  bool lasts_past(std::uint32_t operation, std::int64_t returned_ns);
  bool wait_for(Thread& t, std::uint32_t operation, std::int64_t from_ns, std::int64_t until_ns);
  void wait_stream(std::uint32_t thread, std::uint32_t call);
  void cut(std::uint32_t thread, std::int64_t time_ns);
  std::uint32_t anchor(std::uint32_t thread, std::int64_t time_ns);
  std::uint32_t begin_delay(std::uint32_t thread);
  void finish_threads();
  void emit_ready(Streams::Stream& stream, std::uint32_t number);
  void emit(std::uint32_t operation, Streams::Stream& stream, std::uint32_t number);
  std::int64_t find_waits(std::uint32_t operation, Streams::Stream& stream);
  [[nodiscard]] bool is_untimed(const Operator& op) const {
    return options_.keep_gaps && operators_.timed && op.event == no_index;
  }
  [[nodiscard]] bool is_group_announcement(const Operator& op) const {
    return op.host != no_index && announces_groups(host_.nodes.name(host_.nodes.nodes[op.host]));
  }
  // Returns the nearest caller in the host trace that is not omitted.
  [[nodiscard]] std::uint32_t caller_of(const Operator& op) const {
    const auto left_out = left_out_.find(op.parent);
    return left_out == left_out_.end() ? op.parent : left_out->second;
  }
  [[nodiscard]] const Profile::Sync* sync_of(const Profile::Call& call) const;
  [[nodiscard]] std::uint32_t recorded(const Profile::Sync& sync, const Streams::Moment& now) const;
  [[nodiscard]] Streams::Moment moment(std::uint32_t thread, const Profile::Call& call) const {
    return {streams_.launches(), thread, call.start_ns};
  }
  void unresolved(std::uint32_t call) {
    report_.add(Unmatched::synchronisation_unresolved, static_cast<std::uint64_t>(device_->calls[call].correlation),
                device_->name(device_->calls[call]));
  }

  // Removes the time until then from the thread, which is blocked.
  void block(Thread& t, std::int64_t until_ns) {
    if (until_ns <= t.since_ns) return;
    report_.blocked_ns += static_cast<std::uint64_t>(until_ns - t.since_ns);
    t.since_ns = until_ns;
  }
  std::uint32_t begin_stretch(Thread& t, OrderedNode::Kind kind, std::uint32_t source, std::uint32_t thread) {
    (void)nodes_.add(kind, source, thread, t.since_ns);
    nodes_.add_dep(t.last, DepRule::program_order);
    for (const OrderedDep& d : t.pending) nodes_.add_dep(d.node, d.rule);
    t.pending.clear();
    t.last = nodes_.last();
    return t.last;
  }

  const Trace& host_;
  const Profile* device_;
  const Operators& operators_;
  const OrderOptions& options_;
  LinkReport& report_;
  OrderNodes nodes_{report_};
  Launches launches_{device_};
  ThreadEvents events_ = thread_events(host_, device_, operators_, launches_);
  Streams streams_{device_, launches_};
  CommCalls comm_calls_{host_, device_, operators_};
  std::vector<Thread> threads_;
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> node_of_;                         // by operator
  std::unordered_map<std::uint32_t, std::uint32_t> left_out_;  // operators without a node, and their callers
  std::vector<std::uint32_t> handed_over_;                     // by burst: node after which it begins
  std::optional<IdLookup> syncs_;                              // by correlation
  std::unordered_map<std::int64_t, Streams::Moment> records_;  // of events, by correlation
  std::unordered_set<std::uint32_t> past_sync_;                // operations reported by lasts_past()
  Storages storages_;
  std::vector<OrderedDep> waits_;  // of the device operation that becomes a node
};

}  // namespace convert
