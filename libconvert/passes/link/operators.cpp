// SPDX-License-Identifier: MIT
#include "passes/link/operators.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "passes/link/match/matching.h"
#include "passes/link/thread_numbers.h"
#include "util/huge_pages.h"

namespace convert {
namespace {

// Lays out the operators on their threads.
class Layout {
 public:
  Layout(const Trace& host, const HostOperators& hosts, const Profile* device, const Matching& matching,
         LinkReport& report)
      : host_(host), hosts_(hosts), device_(device), matching_(matching), report_(report) {}

  Operators lay_out() {
    reserve_huge(out_.all, nodes_.size());
    number_threads();
    add_hosts();
    add_events();
    sort_threads();
    return std::move(out_);
  }

 private:
  void number_threads();
  void add_hosts();
  void add_events();
  void sort_threads();
  void extend(std::uint32_t op, std::int64_t end_ns) {
    out_.all[op].end_ns = std::max(out_.all[op].end_ns, end_ns);
  }
  [[nodiscard]] std::string_view name(std::uint32_t host) const { return host_.nodes.name(nodes_[host]); }

  const Trace& host_;
  const HostOperators& hosts_;
  const Profile* device_;
  const Matching& matching_;
  LinkReport& report_;
  const std::vector<Node>& nodes_ = host_.nodes.nodes;
  const std::vector<std::uint32_t>& event_of_ = matching_.event_of;
  const std::vector<std::uint32_t>& host_of_ = matching_.host_of;
  std::vector<std::uint32_t> host_thread_;  // by node
  Operators out_;
};

// Maps a thread of the host trace to the thread of the profile on which its first operator ran. Threads without one
// follow the threads of the profile.
void Layout::number_threads() {
  std::size_t threads = device_ == nullptr ? 0 : device_->threads.size();
  std::unordered_map<std::int64_t, std::uint32_t> of_tid;
  out_.host_threads.assign(threads, -1);
  for (const std::uint32_t h : hosts_.by_id) {
    if (event_of_[h] == no_index) continue;
    const std::uint32_t thread = device_->cpu_ops[event_of_[h]].thread;
    if (of_tid.try_emplace(hosts_.tid(h), thread).second) out_.host_threads[thread] = hosts_.tid(h);
  }
  host_thread_.resize(nodes_.size());
  for (const std::uint32_t h : hosts_.by_id) {
    if (event_of_[h] != no_index) {
      host_thread_[h] = device_->cpu_ops[event_of_[h]].thread;
      continue;
    }
    // The node of the process belongs to no thread; put it on the first one.
    const bool profiled = device_ != nullptr && !device_->threads.empty();
    if (profiled && hosts_.of_node[h].structure && name(h).ends_with("|process]")) {
      host_thread_[h] = 0;
      continue;
    }
    const auto [at, added] = of_tid.try_emplace(hosts_.tid(h), static_cast<std::uint32_t>(threads));
    if (added) {
      ++threads;
      out_.host_threads.push_back(hosts_.tid(h));
    }
    host_thread_[h] = at->second;
  }
  // Device operations require a thread that launches them.
  if (threads == 0 && device_ != nullptr && !device_->device_ops.empty()) {
    out_.host_threads.push_back(-1);
    threads = 1;
  }
  out_.by_thread.resize(threads);
}

void Layout::add_hosts() {
  out_.timed = device_ != nullptr;
  assign_huge(out_.of_host, nodes_.size(), no_index);
  struct Thread {
    std::vector<std::uint32_t> open;  // operators
    std::int64_t last_ns = 0;
  };
  std::vector<Thread> threads(out_.by_thread.size());
  for (const std::uint32_t h : hosts_.by_id) {
    Operator op;
    op.host = h;
    op.event = event_of_[h];
    op.thread = host_thread_[h];
    if (hosts_.callers[h] != no_index) {
      op.parent = out_.of_host[hosts_.callers[h]];
      if (op.parent == no_index) report_.add(Unmatched::caller_later, nodes_[h].id, name(h));
    }
    Thread& t = threads[op.thread];
    while (!t.open.empty() && t.open.back() != op.parent) {
      const std::int64_t end_ns = out_.all[t.open.back()].end_ns;
      t.last_ns = std::max(t.last_ns, end_ns);
      t.open.pop_back();
      if (!out_.timed && !t.open.empty()) extend(t.open.back(), end_ns);
    }
    if (op.event != no_index) {
      const Profile::CpuOp& e = device_->cpu_ops[op.event];
      op.start_ns = e.start_ns;
      op.end_ns = e.end_ns();
      t.last_ns = std::max(t.last_ns, op.start_ns);
    } else if (!out_.timed) {
      op.start_ns = op.end_ns = static_cast<std::int64_t>(out_.all.size());
    } else {
      op.start_ns = op.end_ns = t.last_ns;
    }
    const auto index = static_cast<std::uint32_t>(out_.all.size());
    t.open.push_back(index);
    out_.of_host[h] = index;
    out_.by_thread[op.thread].push_back(index);
    out_.all.push_back(op);
  }
  // Without times, an operator lasts until the last operator that it calls begins.
  for (Thread& t : threads) {
    for (; !out_.timed && t.open.size() > 1; t.open.pop_back())
      extend(t.open[t.open.size() - 2], out_.all[t.open.back()].end_ns);
  }
}

void Layout::add_events() {
  if (device_ == nullptr) return;
  out_.of_event.assign(host_of_.size(), no_index);
  for (std::uint32_t e = 0; e < host_of_.size(); ++e) {
    if (host_of_[e] != no_index) {
      out_.of_event[e] = out_.of_host[host_of_[e]];
      continue;
    }
    const Profile::CpuOp& op = device_->cpu_ops[e];
    const auto index = static_cast<std::uint32_t>(out_.all.size());
    out_.of_event[e] = index;
    out_.by_thread[op.thread].push_back(index);
    out_.all.push_back({.start_ns = op.start_ns, .end_ns = op.end_ns(), .thread = op.thread, .event = e});
  }
}

// Sorts by the profiler's times. Host nodes without a time begin at the first timed operator at the earliest. Host
// nodes of zero length with equal times keep their order.
void Layout::sort_threads() {
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const Operator &x = out_.all[a], &y = out_.all[b];
    return std::tie(x.start_ns, y.end_ns, a) < std::tie(y.start_ns, x.end_ns, b);
  };
  if (!out_.timed) return;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const Operator& op : out_.all) {
    if (op.event != no_index) first = std::min(first, op.start_ns);
  }
  if (first == std::numeric_limits<std::int64_t>::max()) {
    for (const Profile::DeviceOp& d : device_->device_ops) first = std::min(first, d.start_ns);
  }
  if (first == std::numeric_limits<std::int64_t>::max()) first = 0;
  std::vector<std::uint32_t> moments, merged;
  const auto is_moment = [&](const Operator& op) { return op.host != no_index && op.start_ns == op.end_ns; };
  for (std::vector<std::uint32_t>& thread : out_.by_thread) {
    moments.clear();
    for (const std::uint32_t i : thread) {
      Operator& op = out_.all[i];
      if (op.event == no_index) op.start_ns = op.end_ns = std::max(op.start_ns, first);
      if (is_moment(op)) moments.push_back(i);
    }
    if (!moments.empty()) std::erase_if(thread, [&](std::uint32_t i) { return is_moment(out_.all[i]); });
    if (!std::is_sorted(thread.begin(), thread.end(), before)) std::sort(thread.begin(), thread.end(), before);
    if (moments.empty()) continue;
    if (!std::is_sorted(moments.begin(), moments.end(), before)) std::sort(moments.begin(), moments.end(), before);
    merged.clear();
    merged.reserve(thread.size() + moments.size());
    auto next = moments.begin();
    for (const std::uint32_t i : thread) {
      const Operator& op = out_.all[i];
      while (next != moments.end() &&
             (out_.all[*next].start_ns < op.start_ns ||
              (out_.all[*next].start_ns == op.start_ns && op.host != no_index && *next < i)))
        merged.push_back(*next++);
      merged.push_back(i);
    }
    merged.insert(merged.end(), next, moments.end());
    thread.swap(merged);
  }
}

}  // namespace

Operators match_operators(const Trace& host, Profile* device, LinkReport& report) {
  const HostOperators hosts = host_operators(host, report);
  Matching matching;
  if (device != nullptr) {
    matching = match_calls(host, hosts, *device, report);
    keep_observed(*device, matching, report);
    report_unmatched(host, hosts, *device, matching, report);
  } else {
    assign_huge(matching.event_of, host.nodes.nodes.size(), no_index);
  }
  Operators out = Layout(host, hosts, device, matching, report).lay_out();
  if (device != nullptr) number_threads(*device, out.host_threads);
  return out;
}

}  // namespace convert
