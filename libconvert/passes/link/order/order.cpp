// SPDX-License-Identifier: MIT
#include "passes/link/order/order.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/id_lookup.h"
#include "passes/link/comm_calls.h"
#include "passes/link/order/events.h"
#include "passes/link/order/storages.h"
#include "passes/link/order/streams.h"
#include "util/huge_pages.h"

namespace convert {
namespace {

// The clocks of CPU and device differ a little.
constexpr std::int64_t tolerance_ns = 2000;

class OrderFinder {
 public:
  OrderFinder(const Trace& host, const Profile* device, const Operators& operators, const OrderOptions& options,
              LinkReport& report)
      : host_(host),
        device_(device),
        operators_(operators),
        options_(options),
        report_(report),
        launches_(device),
        events_(thread_events(host, device, operators, launches_)),
        streams_(device, launches_),
        comm_calls_(host, device, operators, report) {}

  Order find();

 private:
  struct Thread {
    std::vector<std::uint32_t> open;     // operators that have begun and not ended
    std::uint32_t last = no_index;       // node of the last stretch
    std::uint32_t growing = no_index;    // node whose stretch goes on; none: the time since then is a gap
    std::int64_t since_ns = 0;           // begin of the stretch or gap
    std::int64_t last_end_ns = 0;        // of an operator
    std::vector<OrderedDep> pending;     // what the next stretch waits for
    std::vector<std::uint32_t> untimed;  // operators without a time that become nodes at the next cut
    std::unordered_map<std::uint32_t, std::uint32_t>
        waited;  // by stream: how many of its operations were waited for
  };
  // A device operation between its launch and its node.
  struct Operation {
    std::uint32_t launch = 0;         // number; 0: not launched so far
    std::uint32_t after = no_index;   // node of the stretch that launched it
    std::uint32_t caller = no_index;  // operator
    std::uint32_t node = no_index;    // the first of its nodes
    std::int64_t call_ns = 0;
    std::int64_t ready_ns = 0;  // end of that stretch
    Range parts{};              // that a kernel carries out together
    [[nodiscard]] std::uint32_t nodes() const { return std::max(parts.count, 1U); }
  };

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
  // The nearest caller in the host trace that is not left out.
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

  OrderedNode& add_node(OrderedNode::Kind kind, std::uint32_t source, std::uint32_t thread, std::int64_t start_ns) {
    OrderedNode& n = out_.nodes.emplace_back();
    n.kind = kind;
    n.first_dep = out_.deps.size();
    n.source = source;
    n.thread = thread;
    n.start_ns = start_ns;
    return n;
  }
  // To the last node. Once for each parent: the first rule that names it stands, but for data, which says more than
  // an order.
  void add_dep(std::uint32_t node, DepRule rule) {
    if (node == no_index) return;
    OrderedNode& n = out_.nodes.back();
    if (is_named(n, node)) {
      if (rule == DepRule::data) make_data(n, node);
      return;
    }
    out_.deps.push_back({node, rule});
    ++n.dep_count;
    ++report_.deps[static_cast<std::size_t>(rule)];
  }
  void make_data(const OrderedNode& n, std::uint32_t node) {
    const auto at = std::find_if(out_.deps.begin() + static_cast<std::ptrdiff_t>(n.first_dep), out_.deps.end(),
                                 [&](const OrderedDep& d) { return d.node == node; });
    --report_.deps[static_cast<std::size_t>(at->rule)];
    ++report_.deps[static_cast<std::size_t>(DepRule::data)];
    at->rule = DepRule::data;
  }
  [[nodiscard]] bool is_named(const OrderedNode& n, std::uint32_t node) {
    constexpr std::uint32_t many = 16;
    if (n.dep_count < many) {
      for (std::size_t i = n.first_dep; i < out_.deps.size(); ++i) {
        if (out_.deps[i].node == node) return true;
      }
      return false;
    }
    const auto mark = static_cast<std::uint32_t>(out_.nodes.size());
    if (named_by_.size() < mark) named_by_.resize(std::max<std::size_t>(mark, 2 * named_by_.size()));
    if (n.dep_count == many) {
      for (std::size_t i = n.first_dep; i < out_.deps.size(); ++i) named_by_[out_.deps[i].node] = mark;
    }
    return std::exchange(named_by_[node], mark) == mark;
  }
  std::uint32_t begin_stretch(Thread& t, OrderedNode::Kind kind, std::uint32_t source, std::uint32_t thread) {
    (void)add_node(kind, source, thread, t.since_ns);
    add_dep(t.last, DepRule::program_order);
    for (const OrderedDep& d : t.pending) add_dep(d.node, d.rule);
    t.pending.clear();
    t.last = static_cast<std::uint32_t>(out_.nodes.size() - 1);
    return t.last;
  }

  const Trace& host_;
  const Profile* device_;
  const Operators& operators_;
  const OrderOptions& options_;
  LinkReport& report_;
  Launches launches_;
  ThreadEvents events_;
  Streams streams_;
  CommCalls comm_calls_;
  std::vector<Thread> threads_;
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> node_of_;                         // by operator
  std::unordered_map<std::uint32_t, std::uint32_t> left_out_;  // operators that are no nodes, and their callers
  std::vector<std::uint32_t> handed_over_;                     // by burst: node behind which it begins
  std::vector<std::uint32_t> named_by_;                        // by node: 1 + the node that depends on it
  std::optional<IdLookup> syncs_;                              // by correlation
  std::unordered_map<std::int64_t, Streams::Moment> records_;  // of events, by correlation
  Storages storages_;
  std::vector<OrderedDep> waits_;  // of the device operation that becomes a node
  Order out_;
};

Order OrderFinder::find() {
  prepare();
  // The thread whose next event is the earliest goes on; at one time by kind, then by thread.
  struct Head {
    std::int64_t time_ns;
    EventKind kind;
    std::uint32_t thread;
    bool operator>(const Head& o) const {
      return std::tuple(time_ns, kind, thread) > std::tuple(o.time_ns, o.kind, o.thread);
    }
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
  return std::move(out_);
}

void OrderFinder::prepare() {
  threads_.resize(operators_.by_thread.size());
  assign_huge(node_of_, operators_.all.size(), no_index);
  handed_over_.assign(events_.bursts.size(), no_index);
  const std::size_t operations = device_ == nullptr ? 0 : device_->device_ops.size();
  reserve_huge(out_.nodes, operators_.all.size() * 2 + operations * 2);
  reserve_huge(out_.deps, operators_.all.size() * 3 + operations * 3);
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
      // A thread that is blocked gives no work to others.
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

// The thread was idle between its last operator and this one: it waited for the work.
void OrderFinder::take_over(std::uint32_t thread, std::uint32_t burst, std::int64_t time_ns) {
  Thread& t = threads_[thread];
  cut(thread, std::min(time_ns, t.last_end_ns));
  if (handed_over_[burst] == no_index) return;
  t.pending.push_back({handed_over_[burst], DepRule::hand_over});
  if (time_ns <= t.since_ns) return;
  report_.blocked_ns += static_cast<std::uint64_t>(time_ns - t.since_ns);
  t.since_ns = time_ns;
}

void OrderFinder::hand_back(std::uint32_t thread, const Burst& burst) {
  Thread& t = threads_[thread];
  if (threads_[burst.to].since_ns > burst.end_ns) return;
  const std::uint32_t node = anchor(burst.to, burst.end_ns);
  if (node == no_index) return;
  cut(thread, burst.begin_ns);
  t.pending.push_back({node, DepRule::hand_over});
  if (burst.end_ns <= t.since_ns) return;
  report_.blocked_ns += static_cast<std::uint64_t>(burst.end_ns - t.since_ns);
  t.since_ns = burst.end_ns;
}

// Ends the stretch or gap that goes on.
void OrderFinder::cut(std::uint32_t thread, std::int64_t time_ns) {
  Thread& t = threads_[thread];
  const std::int64_t time = std::max(time_ns, t.since_ns);
  const std::int64_t length = operators_.timed ? time - t.since_ns : 0;
  if (!options_.keep_gaps) {
    if (!t.open.empty()) out_.nodes[node_of_[t.open.back()]].duration_ns += length;
  } else if (t.growing != no_index) {
    out_.nodes[t.growing].duration_ns += length;
    t.since_ns = time;
    add_untimed(thread);
  } else {
    add_untimed(thread);
    if (length > 0) {
      out_.nodes[begin_delay(thread)].duration_ns = length;
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
  out_.nodes[node].caller = inside == no_index ? no_index : node_of_[inside];
  return node;
}

// The node that ends when the thread has come this far, and has all behind it that the thread has waited for.
std::uint32_t OrderFinder::anchor(std::uint32_t thread, std::int64_t time_ns) {
  cut(thread, time_ns);
  const Thread& t = threads_[thread];
  if ((t.last == no_index && options_.keep_gaps) || !t.pending.empty()) (void)begin_delay(thread);
  return threads_[thread].last;
}

// An operator without a time must not cut the stretch that goes on: it stands behind it. Of one that is left out
// the time goes to what is around it.
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
    // Simulators give no time to the node that announces process groups: its time becomes a delay.
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
  // The caller as the host trace says it; of an event alone the operator around it.
  const std::uint32_t host_caller = caller_of(o);
  std::uint32_t caller = host_caller != no_index ? node_of_[host_caller] : no_index;
  if (o.host == no_index && !t.open.empty()) caller = node_of_[t.open.back()];
  out_.nodes[node].caller = caller;
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

// What stands behind the last cut of a thread is time of an operator, up to its end.
void OrderFinder::finish_threads() {
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    if (options_.keep_gaps && threads_[i].since_ns < threads_[i].last_end_ns) cut(i, threads_[i].last_end_ns);
    add_untimed(i);
  }
  comm_calls_.for_each_on_host(
      [&](std::uint32_t op, std::uint32_t comm) { out_.nodes[node_of_[op]].comm = comm + 1; });
  out_.comms = comm_calls_.take(out_.comm_texts);
}

void OrderFinder::on_call(std::uint32_t thread, std::uint32_t index, std::int64_t time_ns) {
  Thread& t = threads_[thread];
  const Profile::Call& call = device_->calls[index];
  const auto launched = launches_.of_call(index);
  if (!launched.empty()) {
    (void)anchor(thread, time_ns);
    for (const std::uint32_t d : launched) {
      const Profile::DeviceOp& op = device_->device_ops[d];
      if (op.start_ns < call.start_ns - tolerance_ns)
        report_.add(Unmatched::kernel_before_launch, static_cast<std::uint64_t>(op.correlation), device_->name(op));
      launch(thread, d, call.start_ns, t.open.empty() ? no_index : t.open.back());
      ++report_.launched_by_correlation;
    }
    if (launches_.blocks(*device_, index) && !wait_for(t, launched.back(), time_ns, call.end_ns()))
      unresolved(index);
    return;
  }
  switch (call.kind) {
    case CallKind::event_record: records_.try_emplace(call.correlation, moment(thread, call)); break;
    case CallKind::stream_wait: wait_stream(thread, index); break;
    case CallKind::stream_sync:
    case CallKind::event_sync:
    case CallKind::device_sync:
      cut(thread, time_ns);
      if (!synchronise(thread, call)) unresolved(index);
      break;
    default: break;
  }
}

void OrderFinder::launch(std::uint32_t thread, std::uint32_t operation, std::int64_t call_ns,
                         std::uint32_t caller) {
  const Thread& t = threads_[thread];
  Operation& o = operations_[operation];
  o.launch = streams_.launch(operation, thread, call_ns);
  o.after = t.last;
  o.caller = caller;
  o.call_ns = call_ns;
  o.ready_ns = t.since_ns;
  o.parts = comm_calls_.launch(t.open, thread, operation);
  const std::uint32_t stream = streams_.of(operation);
  emit_ready(streams_[stream], stream);
}

// Operations of a stream run in the order of their begins; one whose launch has not been met yet holds back those
// behind it.
void OrderFinder::emit_ready(Streams::Stream& stream, std::uint32_t number) {
  while (stream.next < stream.operations.size() && operations_[stream.operations[stream.next]].launch != 0)
    emit(stream.operations[stream.next++], stream, number);
}

// What an operation waits for beside its launch: waits_. Returns when all of that had ended.
std::int64_t OrderFinder::find_waits(std::uint32_t operation, Streams::Stream& stream) {
  const auto& all = device_->device_ops;
  const Operation& o = operations_[operation];
  std::int64_t ready = 0;
  waits_.clear();
  const auto add = [&](std::uint32_t other, DepRule rule) {
    for (std::uint32_t p = 0; p < operations_[other].nodes(); ++p)
      waits_.push_back({operations_[other].node + p, rule});
    ready = std::max(ready, all[other].end_ns());
  };
  if (stream.last != no_index) add(stream.last, DepRule::stream_order);
  for (; stream.next_wait < stream.waits.size(); ++stream.next_wait) {
    const Streams::Wait& w = stream.waits[stream.next_wait];
    if (w.launches >= o.launch || device_->calls[w.call].start_ns > o.call_ns) break;
    // What ended after this began is not what it waited for; the clocks of two devices differ a little.
    const Profile::DeviceOp& other = all[w.operation];
    const std::int64_t tolerance = other.device == all[operation].device ? 0 : tolerance_ns;
    if (operations_[w.operation].node != no_index && other.end_ns() - tolerance <= all[operation].start_ns) {
      add(w.operation, DepRule::event);
    } else {
      unresolved(w.call);
    }
  }
  if (options_.data_deps && o.caller != no_index) {
    storages_.for_each_writer(host_, operators_.all[o.caller].host, [&](std::uint32_t node) {
      const std::int64_t ended = all[out_.nodes[node].source].end_ns();
      if (ended > all[operation].start_ns) return;  // another time's content, or a race
      waits_.push_back({node, DepRule::data});
      ready = std::max(ready, ended);
    });
  }
  return ready;
}

void OrderFinder::emit(std::uint32_t operation, Streams::Stream& stream, std::uint32_t number) {
  Operation& o = operations_[operation];
  const Profile::DeviceOp& d = device_->device_ops[operation];
  const std::int64_t ready = find_waits(operation, stream);
  if (stream.last != no_index && d.start_ns < device_->device_ops[stream.last].end_ns() - tolerance_ns)
    report_.add(Unmatched::stream_overlap, static_cast<std::uint64_t>(d.correlation), device_->name(d));
  const std::int64_t delay = std::max<std::int64_t>(d.start_ns - std::max(ready, o.ready_ns), 0);
  report_.start_delay_ns += static_cast<std::uint64_t>(delay);
  const std::uint32_t parts = o.nodes();
  constexpr std::size_t many = 4096;
  if (parts > 1 && waits_.size() * parts > many) {
    (void)add_node(OrderedNode::Kind::join, operation, number, ready);
    for (const OrderedDep& dep : waits_) add_dep(dep.node, dep.rule);
    waits_.assign(1, {static_cast<std::uint32_t>(out_.nodes.size() - 1), waits_.front().rule});
  }
  o.node = static_cast<std::uint32_t>(out_.nodes.size());
  for (std::uint32_t p = 0; p < parts; ++p) {
    OrderedNode& n = add_node(OrderedNode::Kind::device, operation, number, d.start_ns);
    n.duration_ns = d.duration_ns;
    n.start_delay_ns = delay;
    n.caller = o.caller == no_index ? no_index : node_of_[o.caller];
    n.comm = o.parts.count == 0 ? 0 : comm_calls_.part(o.parts.begin + p) + 1;
    add_dep(o.after, DepRule::launch);
    for (const OrderedDep& dep : waits_) add_dep(dep.node, dep.rule);
  }
  stream.last = operation;
  if (options_.data_deps && o.caller != no_index) storages_.write(host_, operators_.all[o.caller].host, o.node);
}

const Profile::Sync* OrderFinder::sync_of(const Profile::Call& call) const {
  const std::uint32_t found = syncs_->find(call.correlation);
  return found == IdLookup::none ? nullptr : &device_->syncs[found];
}

// The operation behind which an event was recorded.
std::uint32_t OrderFinder::recorded(const Profile::Sync& sync, const Streams::Moment& now) const {
  if (sync.wait_on_stream < 0) return no_index;
  const std::uint32_t stream = streams_.find(sync.device, sync.wait_on_stream);
  if (stream == Streams::none) return no_index;
  const auto record = records_.find(sync.record_correlation);
  return streams_.last_launched(stream, record == records_.end() ? now : record->second);
}

void OrderFinder::wait_stream(std::uint32_t thread, std::uint32_t call) {
  const Profile::Sync* sync = sync_of(device_->calls[call]);
  if (sync == nullptr || sync->wait_on_stream < 0) return unresolved(call);
  const std::uint32_t operation = recorded(*sync, moment(thread, device_->calls[call]));
  const std::uint32_t stream = streams_.find(sync->device, sync->stream);
  // Nothing to wait for, or nobody that waits, is a fact where the profiler tells the streams.
  if (operation == no_index || stream == Streams::none) return;
  streams_[stream].waits.push_back({streams_.launches(), operation, call});
}

bool OrderFinder::synchronise(std::uint32_t thread, const Profile::Call& call) {
  Thread& t = threads_[thread];
  const Profile::Sync* sync = sync_of(call);
  const Streams::Moment now = moment(thread, call);
  const std::int64_t begin = call.start_ns, end = call.end_ns();
  if (call.kind == CallKind::device_sync) {
    bool all = true;
    streams_.for_each_launched(now, [&](const Streams::Stream& stream, std::uint32_t last) {
      if (sync != nullptr && stream.device != sync->device) return;
      all = wait_for(t, last, begin, end) && all;
    });
    return all;
  }
  if (sync != nullptr && call.kind == CallKind::stream_sync && sync->stream >= 0) {
    const std::uint32_t stream = streams_.find(sync->device, sync->stream);
    return stream == Streams::none || wait_for(t, streams_.last_launched(stream, now), begin, end);
  }
  if (sync != nullptr && call.kind == CallKind::event_sync && sync->wait_on_stream >= 0)
    return wait_for(t, recorded(*sync, now), begin, end);
  return synchronise_unknown(thread, call);
}

// Without a word of the profiler: what ends last within the call, if the call lasted that long.
bool OrderFinder::synchronise_unknown(std::uint32_t thread, const Profile::Call& call) {
  std::uint32_t operation = no_index;
  std::int64_t latest = call.start_ns;
  streams_.for_each_launched(moment(thread, call), [&](const Streams::Stream&, std::uint32_t last) {
    const std::int64_t ended = device_->device_ops[last].end_ns();
    if (ended > latest && ended <= call.end_ns()) operation = last, latest = ended;
  });
  return operation != no_index && wait_for(threads_[thread], operation, call.start_ns, call.end_ns());
}

// The thread waits in [from, until] for an operation. The time it is blocked leaves it: the dependency says it.
// False if it cannot have waited for that.
bool OrderFinder::wait_for(Thread& t, std::uint32_t operation, std::int64_t from_ns, std::int64_t until_ns) {
  if (operation == no_index) return true;
  const Profile::DeviceOp& d = device_->device_ops[operation];
  const Operation& o = operations_[operation];
  if (o.node == no_index) return false;  // held back by an earlier one of its stream whose launch comes later
  // What ends clearly later than the wait is not what was waited for.
  if (d.end_ns() - tolerance_ns > until_ns) return false;
  const std::int64_t blocked_until = std::clamp(d.end_ns(), from_ns, until_ns);
  if (blocked_until > t.since_ns) {
    report_.blocked_ns += static_cast<std::uint64_t>(blocked_until - t.since_ns);
    t.since_ns = blocked_until;
  }
  // An earlier wait for the same or a later operation of the stream says it already.
  std::uint32_t& waited = t.waited[streams_.of(operation)];
  const std::uint32_t count = streams_.place(operation) + 1;
  if (count <= waited) return true;
  waited = count;
  for (std::uint32_t p = 0; p < o.nodes(); ++p) t.pending.push_back({o.node + p, DepRule::synchronisation});
  return true;
}

}  // namespace

Order find_order(const Trace& host, const Profile* device, const Operators& operators, const OrderOptions& options,
                 LinkReport& report) {
  return OrderFinder(host, device, operators, options, report).find();
}

}  // namespace convert
