// SPDX-License-Identifier: MIT
#include "passes/link/order/order.h"

#include <algorithm>
#include <compare>
#include <limits>
#include <queue>

#include "passes/link/order/finder.h"
#include "util/huge_pages.h"

namespace convert {

Order OrderFinder::find() {
  prepare();
  // Continues with the thread whose next event is the earliest; at equal times by kind, then by thread.
  struct Head {
    std::int64_t time_ns;
    EventKind kind;
    std::uint32_t thread;
    auto operator<=>(const Head&) const = default;
  };
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  std::vector<std::size_t> next(threads_.size());
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    if (!events_.threads[t].empty()) heads.push({events_.threads[t][0].time_ns, events_.threads[t][0].kind, t});
  }
  while (!heads.empty()) {
    const std::uint32_t t = heads.top().thread;
    heads.pop();
    const auto& events = events_.threads[t];
    const bool alone = heads.empty();
    std::size_t& i = next[t];
    do {
      on_event(t, events[i++]);
      if (i == events.size()) break;
    } while (alone || !(Head{events[i].time_ns, events[i].kind, t} > heads.top()));
    if (i < events.size()) heads.push({events[i].time_ns, events[i].kind, t});
  }
  finish_threads();
  Order order = nodes_.take();
  order.comms = comm_calls_.take(order.comm_texts);
  return order;
}

void OrderFinder::prepare() {
  threads_.resize(operators_.by_thread.size());
  assign_huge(node_of_, operators_.all.size(), no_index);
  handed_over_.assign(events_.bursts.size(), no_index);
  const std::size_t operations = device_ == nullptr ? 0 : device_->device_ops.size();
  nodes_.reserve(operators_.all.size() * 2 + operations * 2, operators_.all.size() * 3 + operations * 3);
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  for (const auto& events : events_.threads) {
    if (!events.empty()) begin = std::min(begin, events[0].time_ns);
  }
  if (device_ != nullptr) {
    const auto& all = device_->device_ops;
    operations_.resize(all.size());
    for (const Profile::DeviceOp& d : all) begin = std::min(begin, d.start_ns);
    syncs_.emplace(device_->syncs.size(),
                   [&](std::size_t i) { return Profile::given(device_->syncs[i].correlation); });
  }
  for (Thread& t : threads_) t.since_ns = t.last_end_ns = begin;
}

void OrderFinder::on_event(std::uint32_t thread, const ThreadEvent& event) {
  Thread& t = threads_[thread];
  switch (event.kind) {
    case EventKind::operator_begin: begin_operator(thread, event.index, event.time_ns); break;
    case EventKind::operator_end: end_operator(thread, event.index, event.time_ns); break;
    case EventKind::call: on_call(thread, event.index, event.time_ns); break;
    case EventKind::orphan: on_orphan(thread, events_.orphans[event.index], event.time_ns); break;
    case EventKind::hand_over:
      // A blocked thread hands no work to others.
      if (t.since_ns <= event.time_ns) handed_over_[event.index] = anchor(thread, event.time_ns);
      break;
    case EventKind::take_over: take_over(thread, event.index, event.time_ns); break;
    case EventKind::hand_back: hand_back(thread, events_.bursts[event.index]); break;
  }
}

void OrderFinder::on_orphan(std::uint32_t thread, const Orphan& orphan, std::int64_t time_ns) {
  const Profile::DeviceOp& d = device_->device_ops[orphan.operation];
  const bool named = orphan.named_operator != no_index;
  report_.add(named ? Unmatched::kernel_by_external_id : Unmatched::kernel_by_time,
              static_cast<std::uint64_t>(d.correlation), device_->name(d));
  (void)anchor(thread, time_ns);
  const auto& open = threads_[thread].open;
  std::uint32_t caller = open.empty() ? no_index : open.back();
  if (named && node_of_[orphan.named_operator] != no_index) caller = orphan.named_operator;
  launch(thread, orphan.operation, time_ns, caller);
}

// If the thread was idle between its last operator and this one, it waited for the work.
void OrderFinder::take_over(std::uint32_t thread, std::uint32_t burst, std::int64_t time_ns) {
  Thread& t = threads_[thread];
  const bool idle = events_.bursts[burst].idle;
  cut(thread, idle ? std::min(time_ns, t.last_end_ns) : time_ns);
  if (handed_over_[burst] == no_index) return;
  t.pending.push_back({handed_over_[burst], DepRule::hand_over});
  if (idle) block(t, time_ns);
}

void OrderFinder::hand_back(std::uint32_t thread, const Burst& burst) {
  Thread& t = threads_[thread];
  if (threads_[burst.to].since_ns > burst.end_ns) return;
  const std::uint32_t node = anchor(burst.to, burst.end_ns);
  if (node == no_index) return;
  cut(thread, burst.begin_ns);
  t.pending.push_back({node, DepRule::hand_over});
  block(t, burst.end_ns);
}

// Ends the current stretch or gap.
void OrderFinder::cut(std::uint32_t thread, std::int64_t time_ns) {
  Thread& t = threads_[thread];
  const std::int64_t time = std::max(time_ns, t.since_ns);
  const std::int64_t length = operators_.timed ? time - t.since_ns : 0;
  if (!options_.keep_gaps) {
    if (!t.open.empty()) nodes_[node_of_[t.open.back()]].duration_ns += length;
  } else if (t.growing != no_index) {
    nodes_[t.growing].duration_ns += length;
    t.since_ns = time;
    add_untimed(thread);
  } else {
    add_untimed(thread);
    if (length > 0) {
      nodes_[begin_delay(thread)].duration_ns = length;
      report_.cpu_delay_ns += static_cast<std::uint64_t>(length);
    }
  }
  t.growing = no_index;
  t.since_ns = time;
}

void OrderFinder::add_untimed(std::uint32_t thread) {
  for (const std::uint32_t op : threads_[thread].untimed) (void)begin_node(thread, op);
  threads_[thread].untimed.clear();
}

std::uint32_t OrderFinder::begin_delay(std::uint32_t thread) {
  Thread& t = threads_[thread];
  const std::uint32_t inside = t.open.empty() ? no_index : t.open.back();
  const std::uint32_t node = begin_stretch(t, OrderedNode::Kind::delay, inside, thread);
  nodes_[node].caller = inside == no_index ? no_index : node_of_[inside];
  return node;
}

// Returns the node that ends at this time and depends on everything that the thread has waited for.
std::uint32_t OrderFinder::anchor(std::uint32_t thread, std::int64_t time_ns) {
  cut(thread, time_ns);
  const Thread& t = threads_[thread];
  if ((t.last == no_index && options_.keep_gaps) || !t.pending.empty()) (void)begin_delay(thread);
  return threads_[thread].last;
}

// An operator without a time does not cut the current stretch, but follows it. The time of an omitted operator is
// added to its surroundings.
void OrderFinder::begin_operator(std::uint32_t thread, std::uint32_t op, std::int64_t time_ns) {
  Thread& t = threads_[thread];
  const Operator& o = operators_.all[op];
  const bool announces = is_group_announcement(o);
  if (announces && !options_.announcements) {
    left_out_.emplace(op, caller_of(o));
    ++report_.metadata_left_out;
    return;
  }
  if (is_untimed(o) && t.growing != no_index) {
    t.untimed.push_back(op);
  } else if (is_untimed(o)) {
    (void)begin_node(thread, op);
  } else {
    cut(thread, time_ns);
    const std::uint32_t node = begin_node(thread, op);
    // Simulators give no time to the node that announces process groups, so its time becomes a delay.
    t.growing = announces && options_.keep_gaps ? no_index : node;
  }
  t.open.push_back(op);
  comm_calls_.begin(t.open);
}

std::uint32_t OrderFinder::begin_node(std::uint32_t thread, std::uint32_t op) {
  Thread& t = threads_[thread];
  const Operator& o = operators_.all[op];
  const std::uint32_t node = begin_stretch(t, OrderedNode::Kind::cpu, op, thread);
  node_of_[op] = node;
  // The host trace defines the caller; without a host node, it is the operator around the event.
  const std::uint32_t host_caller = caller_of(o);
  std::uint32_t caller = host_caller != no_index ? node_of_[host_caller] : no_index;
  if (o.host == no_index && !t.open.empty()) caller = node_of_[t.open.back()];
  nodes_[node].caller = caller;
  return node;
}

void OrderFinder::end_operator(std::uint32_t thread, std::uint32_t op, std::int64_t time_ns) {
  Thread& t = threads_[thread];
  const bool is_node = !left_out_.contains(op);
  if (!is_untimed(operators_.all[op])) {
    const std::int64_t end = std::max(time_ns, t.since_ns);
    if (is_node && (!options_.keep_gaps || t.growing == node_of_[op])) cut(thread, end);
    t.last_end_ns = std::max(t.last_end_ns, end);
  }
  if (is_node) t.open.pop_back();
}

// Time after the last cut of a thread belongs to an operator, up to its end.
void OrderFinder::finish_threads() {
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    if (options_.keep_gaps && threads_[i].since_ns < threads_[i].last_end_ns) cut(i, threads_[i].last_end_ns);
    add_untimed(i);
  }
  comm_calls_.for_each_suspect([&](std::uint32_t operation, std::uint32_t comm) {
    if (operations_[operation].node != no_index) nodes_[operations_[operation].node].comm = comm + 1;
  });
  for (std::uint32_t n = 0; n < nodes_.next(); ++n) {
    if (nodes_[n].comm != 0 && comm_calls_.is_withdrawn(nodes_[n].comm - 1)) nodes_[n].comm = 0;
  }
  comm_calls_.for_each_on_host([&](std::uint32_t op, std::uint32_t comm) { nodes_[node_of_[op]].comm = comm + 1; });
  if (device_ != nullptr && operators_.timed)
    comm_calls_.for_each_missing([&](std::uint32_t op) { nodes_[node_of_[op]].lacks_communication = true; });
}

Order find_order(const Trace& host, const Profile* device, const Operators& operators, const OrderOptions& options,
                 LinkReport& report) {
  return OrderFinder(host, device, operators, options, report).find();
}

}  // namespace convert
