// SPDX-License-Identifier: MIT
#include "passes/link/order/events.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/id_lookup.h"
#include "passes/link/order/host_comm.h"
#include "util/huge_pages.h"

namespace convert {

Launches::Launches(const Profile* device) {
  if (device == nullptr) return;
  const auto& calls = device->calls;
  const auto& operations = device->device_ops;
  const IdLookup index(calls.size(), [&](std::size_t i) { return Profile::given(calls[i].correlation); });
  call_of_.reserve(operations.size());
  for (const Profile::DeviceOp& op : operations) call_of_.push_back(index.find(op.correlation));
  const auto rows = [&] {
    operations_ = rows_by_key(operations.size(), calls.size(), [&](std::size_t i) { return call_of_[i]; });
  };
  rows();
  // Several operations share the launch of one kernel: operations that name another operator have lost their own
  // launch.
  bool lost = false;
  for (std::size_t c = 0; c < calls.size(); ++c) {
    if (!is_shared(*device, static_cast<std::uint32_t>(c)) || calls[c].external_id < 0) continue;
    for (const std::uint32_t d : operations_[c]) {
      if (operations[d].external_id < 0 || operations[d].external_id == calls[c].external_id) continue;
      call_of_[d] = no_index;
      lost = true;
    }
  }
  if (lost) rows();
  const auto start = [&](std::uint32_t i) { return operations[i].start_ns; };
  for (std::size_t c = 0; c < calls.size(); ++c) {
    if (operations_[c].size() > 1) std::ranges::stable_sort(operations_[c], {}, start);
  }
}

bool Launches::is_shared(const Profile& device, std::uint32_t call) const {
  return of_call(call).size() > 1 && device.name(device.calls[call]).find("LaunchKernel") != std::string_view::npos;
}

bool Launches::blocks(const Profile& device, std::uint32_t call) const {
  const auto launched = of_call(call);
  if (launched.empty()) return false;
  const Profile::DeviceOp& last = device.device_ops[launched.back()];
  const bool within = last.end_ns() <= device.calls[call].end_ns() && last.duration_ns > 0;
  return device.calls[call].kind == CallKind::blocking || (last.kind == DeviceOpKind::memcpy && within);
}

namespace {

class EventFinder {
 public:
  EventFinder(const Trace& host, const Profile* device, const Operators& operators, const Launches& launches)
      : host_(host), device_(device), operators_(operators), launches_(launches) {}

  ThreadEvents find() {
    out_.threads.resize(operators_.by_thread.size());
    calls_.resize(out_.threads.size());
    hand_overs_.resize(out_.threads.size());
    if (device_ != nullptr) {
      find_calls();
      find_orphans();
      sort_calls();
    }
    find_bursts();
    find_host_communication();
    for (auto& events : hand_overs_) {
      std::ranges::stable_sort(events, {}, [](const ThreadEvent& e) { return std::pair(e.time_ns, e.kind); });
    }
    for (std::uint32_t t = 0; t < out_.threads.size(); ++t) lay_out(t);
    return std::move(out_);
  }

 private:
  struct TopLevel {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::int64_t forward_tid = 0;  // of a backward operator; 0: none
  };
  // A call among its thread's operators, and the moment at which it counts.
  struct Placed {
    std::int64_t start_ns = 0, end_ns = 0;
    std::int64_t external_id = Profile::none;
    ThreadEvent event{};
  };
  void find_calls();
  void find_orphans();
  void sort_calls();
  void find_bursts();
  void find_host_communication();
  void lay_out(std::uint32_t thread);
  void nest(std::uint32_t thread, std::vector<ThreadEvent>& out) const;
  [[nodiscard]] std::int64_t external_id(std::uint32_t op) const {
    const std::uint32_t event = operators_.all[op].event;
    return event == no_index ? Profile::none : device_->cpu_ops[event].external_id;
  }
  [[nodiscard]] std::vector<TopLevel> top_level(std::uint32_t thread) const;
  [[nodiscard]] std::int64_t forward_tid(const Operator& op) const;
  // Returns whether an operator of the same thread called it; nodes of threads and processes are not operators.
  [[nodiscard]] bool is_called(const Operator& op) const {
    if (op.parent == no_index || operators_.all[op.parent].thread != op.thread) return false;
    const std::uint32_t caller = operators_.all[op.parent].host;
    return caller == no_index || !is_structure(host_.nodes.name(host_.nodes.nodes[caller]));
  }

  const Trace& host_;
  const Profile* device_;
  const Operators& operators_;
  const Launches& launches_;
  ThreadEvents out_;
  std::vector<std::vector<Placed>> calls_;
  std::vector<std::vector<ThreadEvent>> hand_overs_;
};

// Lists calls by the earliest begin of the operations that they launch. Calls that launch nothing or wait for their
// operations are listed by their own begin.
void EventFinder::find_calls() {
  const auto& operations = device_->device_ops;
  for (std::uint32_t c = 0; c < device_->calls.size(); ++c) {
    const Profile::Call& call = device_->calls[c];
    const auto launched = launches_.of_call(c);
    if (launched.empty() && call.kind == CallKind::other) continue;
    std::int64_t time = call.start_ns;
    if (!launched.empty() && !launches_.blocks(*device_, c))
      time = std::clamp(operations[launched[0]].start_ns, call.start_ns, call.end_ns());
    calls_[call.thread].push_back({call.start_ns, call.end_ns(), call.external_id, {time, EventKind::call, c}});
  }
}

// Puts device operations without a call into the operator named by their External id, or on the busiest thread.
void EventFinder::find_orphans() {
  const auto& operations = device_->device_ops;
  std::size_t busiest = 0;
  for (std::size_t t = 0; t < operators_.by_thread.size(); ++t) {
    if (operators_.by_thread[t].size() > operators_.by_thread[busiest].size()) busiest = t;
  }
  std::optional<IdLookup> external;
  for (std::uint32_t d = 0; d < operations.size(); ++d) {
    if (launches_.call_of(d) != no_index) continue;
    const Profile::DeviceOp& op = operations[d];
    if (!external) {
      external.emplace(device_->cpu_ops.size(),
                       [&](std::size_t i) { return Profile::given(device_->cpu_ops[i].external_id); });
    }
    const std::uint32_t e = external->find(op.external_id);
    const auto index = static_cast<std::uint32_t>(out_.orphans.size());
    std::size_t thread = busiest;
    std::int64_t time = op.start_ns;
    if (e != IdLookup::none) {
      const Profile::CpuOp& cpu = device_->cpu_ops[e];
      thread = cpu.thread;
      time = std::clamp(time, cpu.start_ns, cpu.end_ns());
    }
    out_.orphans.push_back({d, e == IdLookup::none ? no_index : operators_.of_event[e]});
    calls_[thread].push_back({time, time, op.external_id, {time, EventKind::orphan, index}});
  }
}

void EventFinder::sort_calls() {
  const auto times = [](const Placed& c) { return std::pair(c.start_ns, c.end_ns); };
  for (auto& calls : calls_) {
    if (!std::ranges::is_sorted(calls, {}, times)) std::ranges::stable_sort(calls, {}, times);
  }
}

// Returns the host trace's number of the forward operator's thread.
std::int64_t EventFinder::forward_tid(const Operator& op) const {
  assert(op.event == no_index || device_ != nullptr);
  if (op.event != no_index && device_->cpu_ops[op.event].forward_thread > 0) {
    return device_->cpu_ops[op.event].forward_thread;
  }
  if (op.host == no_index) return 0;
  return host_ids(host_, host_.nodes.nodes[op.host]).fw_tid;
}

std::vector<EventFinder::TopLevel> EventFinder::top_level(std::uint32_t thread) const {
  std::vector<TopLevel> out;
  for (const std::uint32_t i : operators_.by_thread[thread]) {
    const Operator& op = operators_.all[i];
    // Without times, an operator lasts until the last operator that it calls begins.
    const bool inside =
        !out.empty() &&
        (operators_.timed ? op.start_ns < out.back().end_ns || op.end_ns <= out.back().end_ns : is_called(op));
    if (!inside) {
      out.push_back({op.start_ns, op.end_ns, forward_tid(op)});
    } else {
      out.back().end_ns = std::max(out.back().end_ns, op.end_ns);
      if (out.back().forward_tid == 0) out.back().forward_tid = forward_tid(op);
    }
  }
  return out;
}

// Finds bursts of backward operators, which name the thread of their forward operators. The forward thread hands
// over a burst and, if it does nothing itself before the burst's end, waits for it. A burst ends when the forward
// thread does something.
void EventFinder::find_bursts() {
  std::unordered_map<std::int64_t, std::uint32_t> thread_of;
  for (std::uint32_t t = 0; t < operators_.host_threads.size(); ++t) {
    if (operators_.host_threads[t] > 0) thread_of.emplace(operators_.host_threads[t], t);
  }
  // Begins and ends of a thread's operators, in order.
  std::vector<std::vector<std::int64_t>> activity(operators_.by_thread.size());
  const auto activity_of = [&](std::uint32_t t) -> const std::vector<std::int64_t>& {
    if (activity[t].empty()) {
      for (const std::uint32_t i : operators_.by_thread[t]) {
        activity[t].push_back(operators_.all[i].start_ns);
        activity[t].push_back(operators_.all[i].end_ns);
      }
      std::sort(activity[t].begin(), activity[t].end());
    }
    return activity[t];
  };
  // Returns whether the thread begins or ends something in (after, before).
  const auto active = [&](std::uint32_t t, std::int64_t after, std::int64_t before) {
    const auto& a = activity_of(t);
    const auto at = std::upper_bound(a.begin(), a.end(), after);
    return at != a.end() && *at < before;
  };
  for (std::uint32_t t = 0; t < operators_.by_thread.size(); ++t) {
    const std::vector<TopLevel> ops = top_level(t);
    std::optional<Burst> burst;
    const auto end_burst = [&] {
      if (!burst) return;
      burst->waits = !active(burst->from, burst->begin_ns, burst->end_ns);
      const auto index = static_cast<std::uint32_t>(out_.bursts.size());
      hand_overs_[burst->from].push_back({burst->begin_ns, EventKind::hand_over, index});
      hand_overs_[t].push_back({burst->begin_ns, EventKind::take_over, index});
      if (burst->waits) hand_overs_[burst->from].push_back({burst->end_ns, EventKind::hand_back, index});
      out_.bursts.push_back(*burst);
      burst.reset();
    };
    for (const TopLevel& op : ops) {
      if (burst && !active(burst->from, burst->end_ns, op.begin_ns)) {
        burst->end_ns = std::max(burst->end_ns, op.end_ns);
        continue;
      }
      end_burst();
      const auto from = thread_of.find(op.forward_tid);
      if (op.forward_tid <= 0 || from == thread_of.end() || from->second == t) continue;
      burst = Burst{from->second, t, op.begin_ns, op.end_ns};
    }
    end_burst();
  }
}

void EventFinder::find_host_communication() {
  if (device_ == nullptr) return;
  for (const HandOver& h : host_comm_hand_overs(host_, *device_, operators_)) {
    const auto index = static_cast<std::uint32_t>(out_.bursts.size());
    hand_overs_[h.from].push_back({h.given_ns, EventKind::hand_over, index});
    hand_overs_[h.to].push_back({h.taken_ns, EventKind::take_over, index});
    out_.bursts.push_back({h.from, h.to, h.taken_ns, h.taken_ns, false, h.idle});
  }
}

// Appends begins and ends of operators by nesting, and the calls in them.
void EventFinder::nest(std::uint32_t thread, std::vector<ThreadEvent>& out) const {
  struct Open {
    std::uint32_t op;
    std::int64_t end_ns;
  };
  std::vector<Open> open;
  const auto close = [&] {
    out.push_back({open.back().end_ns, EventKind::operator_end, open.back().op});
    open.pop_back();
  };
  const auto begin = [&](std::uint32_t i) {
    const Operator& op = operators_.all[i];
    while (!open.empty() && open.back().end_ns <= op.start_ns &&
           !(open.back().end_ns == op.end_ns && op.parent == open.back().op))
      close();
    out.push_back({op.start_ns, EventKind::operator_begin, i});
    open.push_back({i, open.empty() ? op.end_ns : std::min(op.end_ns, open.back().end_ns)});
  };
  // A call of zero length at an operator's end is inside the operator. So is a call that names the operator, if the
  // end is rounded.
  const auto is_after = [&](const Placed& call, const Open& o) {
    if (o.end_ns > call.start_ns || (o.end_ns == call.start_ns && call.end_ns == call.start_ns)) return false;
    return device_->resolution_ns == 1 || call.start_ns - o.end_ns > device_->resolution_ns ||
           call.external_id < 0 || external_id(o.op) != call.external_id;
  };
  const auto add = [&](const Placed& call) {
    while (!open.empty() && is_after(call, open.back())) close();
    out.push_back(call.event);
    if (!open.empty()) out.back().time_ns = std::min(call.event.time_ns, open.back().end_ns);
  };
  // At equal times the operator precedes the call, as its callees may begin with it, unless the call is known to
  // belong to the operator that ends there.
  const auto call_first = [&](const Placed& call, std::uint32_t op) {
    if (call.start_ns != operators_.all[op].start_ns) return call.start_ns < operators_.all[op].start_ns;
    return call.external_id >= 0 && !open.empty() && external_id(open.back().op) == call.external_id &&
           open.back().end_ns == call.start_ns && external_id(op) != call.external_id;
  };
  auto next = calls_[thread].begin();
  const auto end = calls_[thread].end();
  for (const std::uint32_t i : operators_.by_thread[thread]) {
    while (next != end && call_first(*next, i)) add(*next++);
    begin(i);
  }
  while (next != end) add(*next++);
  while (!open.empty()) close();
}

// Puts the thread's own events after room for the hand-overs, then merges both from the front.
void EventFinder::lay_out(std::uint32_t thread) {
  const std::vector<ThreadEvent>& rest = hand_overs_[thread];
  std::vector<ThreadEvent>& out = out_.threads[thread];
  reserve_huge(out, rest.size() + 2 * operators_.by_thread[thread].size() + calls_[thread].size());
  out.resize(rest.size());
  nest(thread, out);
  const auto own = out.begin() + static_cast<std::ptrdiff_t>(rest.size());
  // Only calls that overlap with later events are out of order.
  if (!std::ranges::is_sorted(own, out.end(), {}, &ThreadEvent::time_ns))
    std::ranges::stable_sort(own, out.end(), {}, &ThreadEvent::time_ns);
  auto to = out.begin();
  auto next = rest.begin();
  for (auto e = own; e != out.end() && next != rest.end(); ++e) {
    while (next != rest.end() && std::pair(next->time_ns, next->kind) < std::pair(e->time_ns, e->kind))
      *to++ = *next++;
    *to++ = *e;
  }
  std::copy(next, rest.end(), to);
}

}  // namespace

ThreadEvents thread_events(const Trace& host, const Profile* device, const Operators& operators,
                           const Launches& launches) {
  return EventFinder(host, device, operators, launches).find();
}

}  // namespace convert
