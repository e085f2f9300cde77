// SPDX-License-Identifier: MIT
#include <algorithm>

#include "passes/compat/device.h"

namespace convert::compat {
namespace {

constexpr double group_gap_us = 1000;

// Operators with the same start: the first one in thread order, and the first one of another thread.
struct Instant {
  double start = 0;
  std::uint32_t first = no_index, other = no_index;  // index into ops
  // the last earlier instant with an operator of another thread than this instant's only thread
  std::uint32_t before = no_index;
};

class LastStarted {
 public:
  LastStarted(const std::vector<CpuOp>& ops, const Threads& threads) : ops_(ops) {
    rank_.resize(threads.begin.size());
    for (std::size_t r = 0; r < threads.order.size(); ++r) rank_[threads.order[r]] = static_cast<std::uint32_t>(r);
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      if (!(ops[i].start.value > 0)) continue;
      if (instants_.empty() || instants_.back().start != ops[i].start.value) open(ops[i].start.value);
      add(instants_.back(), i);
    }
    link_last();
  }

  // Returns the operator of a thread other than `thread` that started last before `start`, or none.
  [[nodiscard]] std::uint32_t before(double start, std::uint32_t thread) const {
    const auto at = std::ranges::lower_bound(instants_, start, {}, &Instant::start);
    if (at == instants_.begin()) return no_index;
    const Instant* instant = &*std::prev(at);
    for (int step = 0; step < 2; ++step) {
      if (ops_[instant->first].thread != thread) return instant->first;
      if (instant->other != no_index) return instant->other;
      if (instant->before == no_index) return no_index;
      instant = &instants_[instant->before];
    }
    return no_index;
  }

 private:
  void open(double start) {
    link_last();
    instants_.push_back({.start = start});
  }
  void add(Instant& instant, std::uint32_t i) {
    const auto rank = [&](std::uint32_t op) { return rank_[ops_[op].thread]; };
    if (instant.first == no_index) {
      instant.first = i;
    } else if (rank(i) < rank(instant.first)) {
      instant.other = instant.first;
      instant.first = i;
    } else if (rank(i) > rank(instant.first) && (instant.other == no_index || rank(i) < rank(instant.other))) {
      instant.other = i;
    }
  }
  // Sets `before` of the last instant once it is complete.
  void link_last() {
    if (instants_.size() < 2) return;
    Instant& last = instants_.back();
    const auto previous = static_cast<std::uint32_t>(instants_.size() - 2);
    const Instant& p = instants_[previous];
    const bool same = p.other == no_index && ops_[p.first].thread == ops_[last.first].thread;
    last.before = same ? p.before : previous;
  }

  const std::vector<CpuOp>& ops_;
  std::vector<std::uint32_t> rank_;  // of threads, in the order of their first operators
  std::vector<Instant> instants_;
};

}  // namespace

void set_followed(std::vector<CpuOp>& ops, const Threads& threads) {
  const LastStarted last(ops, threads);
  for (const std::uint32_t t : threads.order) {
    std::int64_t followed = 0;
    for (std::uint32_t i = threads.begin[t]; i < threads.end[t]; ++i) {
      CpuOp& op = ops[threads.ops[i]];
      bool group = i == threads.begin[t];
      if (!group) {
        const CpuOp& before = ops[threads.ops[i - 1]];
        group = (op.start - before.start - before.duration).value > group_gap_us;
      }
      if (group) {
        const std::uint32_t at = last.before(op.start.value, t);
        followed = at == no_index ? 0 : std::max<std::int64_t>(ops[at].rf_id, 0);
      }
      op.follows = followed;
    }
  }
}

}  // namespace convert::compat
