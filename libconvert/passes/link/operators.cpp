// SPDX-License-Identifier: MIT
#include "passes/link/operators.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/id_lookup.h"
#include "graph/graph.h"
#include "util/huge_pages.h"

namespace convert {
namespace {

constexpr std::uint32_t none = Operator::none;

// Positions of the nodes by id; of equal ids as they stand.
std::vector<std::uint32_t> in_order_of_ids(const std::vector<Node>& nodes) {
  const std::size_t n = nodes.size();
  NodeId most = 0;
  for (const Node& node : nodes) most = std::max(most, node.id);
  std::vector<std::uint32_t> order(n);
  if (most >= 8 * n) {
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return nodes[a].id < nodes[b].id; });
    return order;
  }
  // Ids lie close together, as they mostly do: count, then place.
  std::vector<std::uint32_t> begin(static_cast<std::size_t>(most) + 2);
  for (const Node& node : nodes) ++begin[static_cast<std::size_t>(node.id) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (std::uint32_t i = 0; i < n; ++i) order[begin[static_cast<std::size_t>(nodes[i].id)]++] = i;
  return order;
}

class Matcher {
 public:
  Matcher(const Trace& host, const Profile* device, LinkReport& report)
      : host_(host), nodes_(host.nodes.nodes), device_(device), report_(report) {}

  Operators match() {
    const std::size_t n = nodes_.size();
    reserve_huge(ids_, n);
    reserve_huge(out_.all, n);
    for (const Node& node : nodes_) {
      const HostIds ids = host_ids(host_, node);
      ids_.push_back({ids.rf_id, ids.tid});
    }
    assign_huge(event_of_, n, none);
    assign_huge(host_of_, device_ == nullptr ? 0 : device_->cpu_ops.size(), none);
    order_hosts();
    if (device_ != nullptr) {
      match_by_id();
      if (!ids_known_) match_by_order();
      report_unmatched();
    }
    number_threads();
    add_hosts();
    add_events();
    sort_threads();
    return std::move(out_);
  }

 private:
  struct Ids {
    std::int64_t rf_id, tid;
  };
  void order_hosts();
  void match_by_id();
  void match_by_order();
  void report_unmatched();
  void number_threads();
  void add_hosts();
  void add_events();
  void sort_threads();
  void pair(std::uint32_t host, std::uint32_t event) {
    event_of_[host] = event;
    host_of_[event] = host;
  }
  void extend(std::uint32_t op, std::int64_t end_ns) {
    out_.all[op].end_ns = std::max(out_.all[op].end_ns, end_ns);
  }
  [[nodiscard]] std::string_view name(std::uint32_t host) const { return host_.nodes.name(nodes_[host]); }

  const Trace& host_;
  const std::vector<Node>& nodes_;
  const Profile* device_;
  LinkReport& report_;
  std::vector<Ids> ids_;
  std::vector<std::uint32_t> by_id_;    // nodes in the order of their ids, which is that of their begins
  std::vector<std::uint32_t> callers_;  // by node
  std::vector<std::uint32_t> event_of_;
  std::vector<std::uint32_t> host_of_;
  std::vector<std::uint32_t> host_thread_;  // by node
  bool ids_known_ = false;
  IdLookup by_rf_id_;  // into the events; empty unless ids_known_
  std::int64_t lowest_rf_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest_rf_ = -1;
  Operators out_;
};

void Matcher::order_hosts() {
  const std::size_t n = nodes_.size();
  by_id_ = in_order_of_ids(nodes_);
  for (std::size_t i = 1; i < n; ++i) {
    const std::uint32_t h = by_id_[i];
    if (nodes_[h].id == nodes_[by_id_[i - 1]].id) report_.add(Unmatched::host_id_repeated, nodes_[h].id, name(h));
  }
  const IdIndex index(host_.nodes);
  assign_huge(callers_, n, none);
  for (std::size_t i = 0; i < n; ++i) {
    const auto deps = host_.nodes.ctrl_deps(nodes_[i]);
    if (deps.empty()) continue;
    if (deps[0] == nodes_[i].id) {  // the process calls itself
      const std::string_view self = name(static_cast<std::uint32_t>(i));
      if (!is_structure(self)) report_.add(Unmatched::caller_later, nodes_[i].id, self);
      continue;
    }
    callers_[i] = index.find(deps[0]);
    if (callers_[i] == none)
      report_.add(Unmatched::caller_missing, nodes_[i].id, name(static_cast<std::uint32_t>(i)));
  }
}

void Matcher::match_by_id() {
  const auto& events = device_->cpu_ops;
  for (const Profile::CpuOp& e : events) {
    if (e.rf_id < 0) continue;
    ids_known_ = true;
    lowest_rf_ = std::min(lowest_rf_, e.rf_id);
    highest_rf_ = std::max(highest_rf_, e.rf_id);
  }
  if (!ids_known_) return;
  by_rf_id_ = IdLookup(events.size(), [&](std::size_t i) { return Profile::given(events[i].rf_id); });
  // Further events of an id, where a profiler was restarted: by id and name, in the order of the file.
  struct Further {
    std::int64_t rf_id;
    std::string_view name;
    std::uint32_t event;
    bool operator<(const Further& o) const {
      return std::tie(rf_id, name, event) < std::tie(o.rf_id, o.name, o.event);
    }
  };
  std::vector<Further> further;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (events[i].rf_id >= 0 && by_rf_id_.find(events[i].rf_id) != i)
      further.push_back({events[i].rf_id, device_->name(events[i]), i});
  }
  std::sort(further.begin(), further.end());
  std::vector<std::uint32_t> taken(further.size());  // of those that begin here
  for (const std::uint32_t h : by_id_) {
    const std::int64_t rf = ids_[h].rf_id;
    const std::uint32_t first = by_rf_id_.find(rf);
    if (first == none || is_structure(name(h))) continue;
    std::uint32_t found = none;
    if (host_of_[first] == none && device_->name(events[first]) == name(h)) {
      found = first;
    } else if (!further.empty()) {
      const auto begin = std::lower_bound(further.begin(), further.end(), Further{rf, name(h), 0});
      if (begin == further.end()) continue;
      const auto place = static_cast<std::size_t>(begin - further.begin());
      const std::size_t next = place + taken[place];
      if (next == further.size() || further[next].rf_id != rf || further[next].name != name(h)) continue;
      ++taken[place];
      found = further[next].event;
    }
    if (found == none) continue;
    pair(h, found);
    ++report_.matched_by_id;
  }
}

// The largest of groups, no more than are compared with each other.
template <class Groups>
std::vector<std::uint32_t> largest(const Groups& sizes) {
  constexpr std::size_t most = 64;
  std::vector<std::uint32_t> out(sizes.size());
  std::iota(out.begin(), out.end(), 0U);
  if (out.size() <= most) return out;
  std::stable_sort(out.begin(), out.end(), [&](std::uint32_t a, std::uint32_t b) { return sizes[a] > sizes[b]; });
  out.resize(most);
  std::sort(out.begin(), out.end());
  return out;
}

// Without ids: each thread of the host trace goes with the thread of the profile that has most of its names, and
// there the k-th of a name goes with the k-th. Of very many threads those with the most operators are compared.
void Matcher::match_by_order() {
  const auto& events = device_->cpu_ops;
  std::vector<std::uint32_t> by_start(events.size());
  std::iota(by_start.begin(), by_start.end(), 0U);
  std::stable_sort(by_start.begin(), by_start.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(events[a].start_ns, -events[a].duration_ns) <
           std::pair(events[b].start_ns, -events[b].duration_ns);
  });
  struct Thread {
    std::unordered_map<std::string_view, std::vector<std::uint32_t>> names;
    bool taken = false;
  };
  std::vector<Thread> of_thread(device_->threads.size());
  std::vector<std::size_t> thread_sizes(of_thread.size()), tid_sizes;
  for (const std::uint32_t e : by_start) {
    of_thread[events[e].thread].names[device_->name(events[e])].push_back(e);
    ++thread_sizes[events[e].thread];
  }
  std::map<std::int64_t, std::uint32_t> tids;
  for (const Ids& ids : ids_) tids.try_emplace(ids.tid, 0U);
  std::vector<Thread> of_tid(tids.size());
  for (std::uint32_t i = 0; auto& [tid, index] : tids) index = i++;
  tid_sizes.resize(of_tid.size());
  for (const std::uint32_t h : by_id_) {
    if (is_structure(name(h))) continue;
    const std::uint32_t tid = tids.find(ids_[h].tid)->second;
    of_tid[tid].names[name(h)].push_back(h);
    ++tid_sizes[tid];
  }
  const std::vector<std::uint32_t> threads = largest(thread_sizes);
  for (const std::uint32_t tid : largest(tid_sizes)) {
    const auto& names = of_tid[tid].names;
    Thread* best = nullptr;
    std::size_t most = 0;
    for (const std::uint32_t t : threads) {
      if (of_thread[t].taken) continue;
      std::size_t common = 0;
      for (const auto& [text, hosts] : names) {
        const auto found = of_thread[t].names.find(text);
        if (found != of_thread[t].names.end()) common += std::min(hosts.size(), found->second.size());
      }
      if (common > most) best = &of_thread[t], most = common;
    }
    if (best == nullptr) continue;
    best->taken = true;
    for (const auto& [text, hosts] : names) {
      const auto found = best->names.find(text);
      if (found == best->names.end()) continue;
      const std::size_t n = std::min(hosts.size(), found->second.size());
      for (std::size_t i = 0; i < n; ++i) pair(hosts[i], found->second[i]);
      (hosts.size() == found->second.size() ? report_.matched_by_order : report_.matched_by_order_unsure) += n;
    }
  }
}

void Matcher::report_unmatched() {
  const bool any = report_.matched_by_id + report_.matched_by_order + report_.matched_by_order_unsure != 0;
  for (const std::uint32_t h : by_id_) {
    if (event_of_[h] != none || is_structure(name(h))) continue;
    const std::int64_t rf = ids_[h].rf_id;
    const Unmatched kind = !any                                   ? Unmatched::no_host_profiled
                           : !ids_known_                          ? Unmatched::host_not_profiled
                           : by_rf_id_.find(rf) != IdLookup::none ? Unmatched::host_name_differs
                           : rf < lowest_rf_ || rf > highest_rf_  ? Unmatched::host_outside_profile
                                                                  : Unmatched::host_not_profiled;
    report_.add(kind, nodes_[h].id, name(h));
  }
  for (std::uint32_t e = 0; e < host_of_.size(); ++e) {
    const Profile::CpuOp& op = device_->cpu_ops[e];
    if (host_of_[e] == none)
      report_.add(Unmatched::event_without_host, static_cast<std::uint64_t>(op.external_id), device_->name(op));
  }
}

// A thread of the host trace is that of the profile where the first of its operators ran; others follow those of
// the profile.
void Matcher::number_threads() {
  std::size_t threads = device_ == nullptr ? 0 : device_->threads.size();
  std::unordered_map<std::int64_t, std::uint32_t> of_tid;
  out_.host_threads.assign(threads, -1);
  for (const std::uint32_t h : by_id_) {
    if (event_of_[h] == none) continue;
    const std::uint32_t thread = device_->cpu_ops[event_of_[h]].thread;
    if (of_tid.try_emplace(ids_[h].tid, thread).second) out_.host_threads[thread] = ids_[h].tid;
  }
  host_thread_.resize(nodes_.size());
  for (const std::uint32_t h : by_id_) {
    if (event_of_[h] != none) {
      host_thread_[h] = device_->cpu_ops[event_of_[h]].thread;
      continue;
    }
    // The node of the process belongs to no thread: it stands at the begin of the first.
    const bool profiled = device_ != nullptr && !device_->threads.empty();
    if (profiled && is_structure(name(h)) && name(h).ends_with("|process]")) {
      host_thread_[h] = 0;
      continue;
    }
    const auto [at, added] = of_tid.try_emplace(ids_[h].tid, static_cast<std::uint32_t>(threads));
    if (added) {
      ++threads;
      out_.host_threads.push_back(ids_[h].tid);
    }
    host_thread_[h] = at->second;
  }
  // Device operations need a thread that launches them.
  if (threads == 0 && device_ != nullptr && !device_->device_ops.empty()) {
    out_.host_threads.push_back(-1);
    threads = 1;
  }
  out_.by_thread.resize(threads);
}

void Matcher::add_hosts() {
  out_.timed = device_ != nullptr;
  assign_huge(out_.of_host, nodes_.size(), none);
  struct Thread {
    std::vector<std::uint32_t> open;  // operators
    std::int64_t last_ns = 0;
  };
  std::vector<Thread> threads(out_.by_thread.size());
  for (const std::uint32_t h : by_id_) {
    Operator op;
    op.host = h;
    op.event = event_of_[h];
    op.thread = host_thread_[h];
    if (callers_[h] != none) {
      op.parent = out_.of_host[callers_[h]];
      if (op.parent == none) report_.add(Unmatched::caller_later, nodes_[h].id, name(h));
    }
    Thread& t = threads[op.thread];
    while (!t.open.empty() && t.open.back() != op.parent) {
      const std::int64_t end_ns = out_.all[t.open.back()].end_ns;
      t.last_ns = std::max(t.last_ns, end_ns);
      t.open.pop_back();
      if (!out_.timed && !t.open.empty()) extend(t.open.back(), end_ns);
    }
    if (op.event != none) {
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
  // Without times an operator lasts until the last one that it calls begins.
  for (Thread& t : threads) {
    for (; !out_.timed && t.open.size() > 1; t.open.pop_back())
      extend(t.open[t.open.size() - 2], out_.all[t.open.back()].end_ns);
  }
}

void Matcher::add_events() {
  if (device_ == nullptr) return;
  out_.of_event.assign(host_of_.size(), none);
  for (std::uint32_t e = 0; e < host_of_.size(); ++e) {
    if (host_of_[e] != none) {
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

// The profiler's times rule; host nodes without a time that come before the first timed one begin with it. What has
// no length keeps its place among the host's at one time.
void Matcher::sort_threads() {
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const Operator& x = out_.all[a];
    const Operator& y = out_.all[b];
    if (x.start_ns != y.start_ns) return x.start_ns < y.start_ns;
    if (x.end_ns != y.end_ns) return x.end_ns > y.end_ns;
    return a < b;
  };
  if (!out_.timed) return;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const Operator& op : out_.all) {
    if (op.event != none) first = std::min(first, op.start_ns);
  }
  if (first == std::numeric_limits<std::int64_t>::max()) {
    for (const Profile::DeviceOp& d : device_->device_ops) first = std::min(first, d.start_ns);
  }
  if (first == std::numeric_limits<std::int64_t>::max()) first = 0;
  std::vector<std::uint32_t> moments, merged;
  const auto is_moment = [&](const Operator& op) { return op.host != none && op.start_ns == op.end_ns; };
  for (std::vector<std::uint32_t>& thread : out_.by_thread) {
    moments.clear();
    for (const std::uint32_t i : thread) {
      Operator& op = out_.all[i];
      if (op.event == none) op.start_ns = op.end_ns = std::max(op.start_ns, first);
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
      while (next != moments.end() && (out_.all[*next].start_ns < op.start_ns ||
                                       (out_.all[*next].start_ns == op.start_ns && op.host != none && *next < i)))
        merged.push_back(*next++);
      merged.push_back(i);
    }
    merged.insert(merged.end(), next, moments.end());
    thread.swap(merged);
  }
}

}  // namespace

bool is_structure(std::string_view name) { return name.starts_with("[pytorch|profiler|"); }

HostIds host_ids(const Trace& host, const Node& node) {
  HostIds ids;
  for (const Attr& a : host.nodes.attributes(node)) {
    if (a.kind != Kind::int64_val) continue;
    const auto value = static_cast<std::int64_t>(a.bits);
    if (a.name == attr::rf_id) ids.rf_id = value;
    if (a.name == attr::tid) ids.tid = value;
    if (a.name == attr::seq_id) ids.seq_id = value;
    if (a.name == attr::fw_tid) ids.fw_tid = value;
  }
  return ids;
}

Operators match_operators(const Trace& host, const Profile* device, LinkReport& report) {
  return Matcher(host, device, report).match();
}

}  // namespace convert
