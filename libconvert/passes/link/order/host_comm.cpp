// SPDX-License-Identifier: MIT
#include "passes/link/order/host_comm.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "passes/link/comm_names.h"

namespace convert {
namespace {

// Pauses of a thread: between operators, and in communication calls without callees.
class Pauses {
 public:
  Pauses(const Operators& operators, std::uint32_t thread, const std::vector<bool>& is_call) {
    struct Moment {
      std::int64_t time_ns;
      bool begins;
      std::int64_t order;  // callers begin before their callees, and end after them
      std::uint32_t op;
      auto operator<=>(const Moment&) const = default;
    };
    std::vector<Moment> moments;
    std::int64_t end = std::numeric_limits<std::int64_t>::min();
    for (const std::uint32_t i : operators.by_thread[thread]) {
      const Operator& op = operators.all[i];
      moments.push_back({op.start_ns, true, -op.end_ns, i});
      moments.push_back({op.end_ns, false, -op.start_ns, i});
      if (op.start_ns >= end) outer_.push_back(op.start_ns);
      end = std::max(end, op.end_ns);
    }
    std::ranges::sort(moments);
    for (std::size_t m = 1; m < moments.size(); ++m) {
      const Moment &from = moments[m - 1], &to = moments[m];
      const bool works = from.begins && !to.begins && from.op == to.op && !is_call[from.op];
      if (from.time_ns < to.time_ns && !works) pauses_.push_back({from.time_ns, to.time_ns});
    }
    longest_.resize(2 * pauses_.size());
    for (std::size_t p = 0; p < pauses_.size(); ++p)
      longest_[pauses_.size() + p] = pauses_[p].end_ns - pauses_[p].begin_ns;
    for (std::size_t n = pauses_.size(); n-- > 1;) longest_[n] = std::max(longest_[2 * n], longest_[2 * n + 1]);
  }

  // Returns whether the longest pause after `since` contains `end`, and most of the pause precedes `end`.
  [[nodiscard]] bool last_until(std::int64_t since, std::int64_t end) const {
    const auto at = std::ranges::lower_bound(pauses_, end, {}, &Pause::end_ns);
    if (at == pauses_.end() || at->begin_ns >= end || end - at->begin_ns < at->end_ns - end) return false;
    const std::int64_t length = end - at->begin_ns;
    // The first pause may have begun before `since`.
    const auto first = std::ranges::upper_bound(pauses_, since, {}, &Pause::end_ns);
    if (first >= at) return true;
    if (first->end_ns - std::max(first->begin_ns, since) > length) return false;
    return longest(static_cast<std::size_t>(first - pauses_.begin()) + 1,
                   static_cast<std::size_t>(at - pauses_.begin())) <= length;
  }
  // Returns the start of the first outermost operator at `time` or later.
  [[nodiscard]] std::optional<std::int64_t> next_outer(std::int64_t time) const {
    const auto at = std::ranges::lower_bound(outer_, time);
    return at == outer_.end() ? std::nullopt : std::optional(*at);
  }

 private:
  struct Pause {
    std::int64_t begin_ns, end_ns;
  };
  // Returns the length of the longest of pauses [begin, end).
  [[nodiscard]] std::int64_t longest(std::size_t begin, std::size_t end) const {
    std::int64_t most = 0;
    for (begin += pauses_.size(), end += pauses_.size(); begin < end; begin /= 2, end /= 2) {
      if (begin % 2 == 1) most = std::max(most, longest_[begin++]);
      if (end % 2 == 1) most = std::max(most, longest_[--end]);
    }
    return most;
  }

  std::vector<Pause> pauses_;          // ascending
  std::vector<std::int64_t> longest_;  // a tree over their lengths, which are the leaves
  std::vector<std::int64_t> outer_;    // begins of outermost operators
};

class HostComm {
 public:
  HostComm(const Trace& host, const Profile& device, const Operators& operators)
      : host_(host), device_(device), operators_(operators) {}

  std::vector<HandOver> find() {
    list();
    if (free_since_.empty()) return {};
    find_free_times();
    for (auto& [operation, both] : by_operation_) match(both.calls, both.collectives);
    for (auto& [thread, done] : done_) wait(thread, done);
    return std::move(out_);
  }

 private:
  struct Both {
    std::vector<std::uint32_t> calls, collectives;  // operators
  };
  struct Done {
    std::int64_t end_ns;
    std::int64_t called_ns;  // end of the call
    std::uint32_t thread;    // of the collective
  };

  [[nodiscard]] std::string_view name(const Operator& op) const {
    return op.host != no_index ? host_.nodes.name(host_.nodes.nodes[op.host])
                               : device_.name(device_.cpu_ops[op.event]);
  }

  // Lists calls and collectives by operation, such as "allreduce".
  void list() {
    is_call_.resize(operators_.all.size());
    for (std::uint32_t i = 0; i < operators_.all.size(); ++i) {
      const Operator& op = operators_.all[i];
      if (op.event == no_index) continue;
      const std::string_view text = name(op);
      if (const auto call = backend_call(text)) {
        if (!call->on_host) continue;
        by_operation_[plain_name(call->operation)].collectives.push_back(i);
        free_since_.emplace(i, 0);
      } else if (text.starts_with("c10d::")) {
        by_operation_[plain_name(text.substr(6))].calls.push_back(i);
        is_call_[i] = true;
      } else if (text == "record_param_comms") {
        is_call_[i] = true;
      }
    }
  }

  // Records for each collective the time when the previous operators of its thread had ended, at most its begin.
  void find_free_times() {
    for (const auto& thread : operators_.by_thread) {
      std::int64_t end = std::numeric_limits<std::int64_t>::min();
      for (const std::uint32_t i : thread) {
        const Operator& op = operators_.all[i];
        if (const auto found = free_since_.find(i); found != free_since_.end())
          found->second = std::min(end, op.start_ns);
        end = std::max(end, op.end_ns);
      }
    }
  }

  void match(std::vector<std::uint32_t>& calls, std::vector<std::uint32_t>& collectives) {
    const auto begin = [&](std::uint32_t op) { return operators_.all[op].start_ns; };
    std::ranges::stable_sort(calls, {}, begin);
    std::ranges::stable_sort(collectives, {}, begin);
    auto next = calls.begin();
    for (const std::uint32_t c : collectives) {
      const Operator& collective = operators_.all[c];
      if (next == calls.end()) return;
      const Operator& call = operators_.all[*next];
      if (call.start_ns > collective.start_ns) continue;
      ++next;
      if (call.thread == collective.thread) continue;
      // The time in between belongs to the collective's thread, unless that thread is busy.
      const std::int64_t given = std::clamp(collective.start_ns, call.start_ns, call.end_ns);
      out_.push_back({call.thread, collective.thread, given, std::max(given, free_since_.at(c))});
      done_[call.thread].push_back({collective.end_ns, call.end_ns, collective.thread});
    }
  }

  void wait(std::uint32_t thread, std::vector<Done>& done) {
    const Pauses pauses(operators_, thread, is_call_);
    std::ranges::stable_sort(done, {}, &Done::end_ns);
    std::optional<std::int64_t> waits;  // the caller's next wait
    for (auto d = done.rbegin(); d != done.rend(); ++d) {
      if (pauses.last_until(std::min(d->called_ns, d->end_ns), d->end_ns)) waits = d->end_ns;
      if (waits) {
        out_.push_back({d->thread, thread, d->end_ns, *waits});
        continue;
      }
      if (const auto next = pauses.next_outer(std::max(d->end_ns, d->called_ns)))
        out_.push_back({d->thread, thread, d->end_ns, *next, false});
    }
  }

  const Trace& host_;
  const Profile& device_;
  const Operators& operators_;
  std::map<std::string, Both> by_operation_;
  std::unordered_map<std::uint32_t, std::int64_t> free_since_;  // by collective
  std::vector<bool> is_call_;                                   // by operator
  std::map<std::uint32_t, std::vector<Done>> done_;             // by the thread of the call
  std::vector<HandOver> out_;
};

}  // namespace

std::vector<HandOver> host_comm_hand_overs(const Trace& host, const Profile& device, const Operators& operators) {
  return HostComm(host, device, operators).find();
}

}  // namespace convert
