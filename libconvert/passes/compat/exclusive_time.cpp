// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>

#include "passes/compat/device.h"
#include "passes/compat/failure.h"

namespace convert::compat {
namespace {

struct Interval {
  Number begin, end;
};

// Computes exclusive times. An operator's exclusive time is its duration less the union of the later operators
// inside it (ordered by start, then by duration). Operators are processed from last to first; each adopts the
// operators inside it as children, so that only the outermost ones are visited. An operator that overlaps another
// one without lying inside it leaves it a root, and the root's children are searched too.
class ExclusiveTimes {
 public:
  ExclusiveTimes(std::vector<CpuOp>& ops, const Profile& profile) : ops_(ops), profile_(profile) {}

  void run(std::span<const std::uint32_t> thread) {
    sort(thread);
    const std::size_t n = order_.size();
    next_.assign(n, no_index);
    child_.assign(n, no_index);
    root_ = no_index;
    // Operators of a thread nest and rarely overlap, so real traces stay far below this budget.
    budget_ = 1000 * std::uint64_t{n} + 1'000'000;
    for (std::size_t i = n; i-- > 0;) set_time(static_cast<std::uint32_t>(i));
  }

 private:
  [[nodiscard]] CpuOp& op(std::uint32_t i) { return ops_[order_[i]]; }

  void sort(std::span<const std::uint32_t> thread) {
    order_.assign(thread.begin(), thread.end());
    const auto by_duration = [&](std::uint32_t a, std::uint32_t b) {
      return ops_[a].duration.value < ops_[b].duration.value;
    };
    for (std::size_t begin = 0; begin < order_.size();) {
      std::size_t end = begin + 1;
      while (end < order_.size() && ops_[order_[end]].start.value == ops_[order_[begin]].start.value) ++end;
      if (end - begin > 1)
        std::stable_sort(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                         order_.begin() + static_cast<std::ptrdiff_t>(end), by_duration);
      begin = end;
    }
    ends_.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i)
      ends_[i] = (ops_[order_[i]].start + ops_[order_[i]].duration).value;
  }

  void set_time(std::uint32_t i) {
    const double end = ends_[i];
    inside_.clear();
    bool descended = false;
    std::uint32_t* last_child = &child_[i];
    std::uint32_t* link = &root_;
    while (*link != no_index && op(*link).start.value <= end) {
      const std::uint32_t j = *link;
      if (ends_[j] <= end) {
        *link = next_[j];
        *last_child = j;
        last_child = &next_[j];
        inside_.push_back(j);
      } else {
        descended = true;
        search_below(j, end);
        link = &next_[j];
      }
    }
    *last_child = no_index;
    next_[i] = root_;
    root_ = i;
    if (descended) std::ranges::sort(inside_);
    subtract(i);
  }

  // Finds the outermost operators before `end` below `parent`, which ends later.
  void search_below(std::uint32_t parent, double end) {
    pending_.push_back(child_[parent]);
    while (!pending_.empty()) {
      const std::uint32_t j = pending_.back();
      if (budget_-- == 0) {
        throw input_error({.file = profile_.file}, "operators of one thread overlap each other too often");
      }
      if (j == no_index || op(j).start.value > end) {
        pending_.pop_back();
        continue;
      }
      pending_.back() = next_[j];
      if (ends_[j] <= end) {
        inside_.push_back(j);
      } else {
        pending_.push_back(child_[j]);
      }
    }
  }

  // Subtracts once per connected interval of the union, in order, as the rounding is part of the result.
  void subtract(std::uint32_t i) {
    CpuOp& to = op(i);
    Number rest = to.duration;
    Interval piece;
    bool any = false;
    for (const std::uint32_t j : inside_) {
      const Interval next{op(j).start, op(j).start + op(j).duration};
      if (any && next.begin.value <= piece.end.value) {
        if (next.end.value > piece.end.value) piece.end = next.end;
        continue;
      }
      if (any) rest = rest - (piece.end - piece.begin);
      piece = next;
      any = true;
    }
    if (any) rest = rest - (piece.end - piece.begin);
    if (rest.value < 0) {
      throw reference_fails(profile_.file, {},
                            "operator '" + std::string(profile_.name(profile_.cpu_ops[to.op])) + "' of event " +
                                std::to_string(profile_.cpu_ops[to.op].order) +
                                " is shorter than the operators inside it",
                            "ValueError");
    }
    to.exclusive = rest;
  }

  std::vector<CpuOp>& ops_;
  const Profile& profile_;
  std::vector<std::uint32_t> order_;  // index into ops_
  std::vector<double> ends_;
  std::vector<std::uint32_t> next_, child_;  // siblings and first child, as indices into order_
  std::uint32_t root_ = no_index;
  std::vector<std::uint32_t> inside_, pending_;
  std::uint64_t budget_ = 0;
};

}  // namespace

void set_exclusive_times(std::vector<CpuOp>& ops, const Threads& threads, const Profile& profile) {
  ExclusiveTimes times(ops, profile);
  for (const std::uint32_t t : threads.order)
    times.run(std::span(threads.ops).subspan(threads.begin[t], threads.end[t] - threads.begin[t]));
}

}  // namespace convert::compat
