// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>

#include "core/found_attrs.h"
#include "core/text_set.h"
#include "passes/iterations/order.h"

namespace convert {
namespace {

constexpr std::array call_names = {attr::comm_type, attr::comm_size, attr::pg_name, attr::comm_src, attr::comm_dst};

bool is_call(NodeType type) {
  return type == NodeType::comm_coll || type == NodeType::comm_send || type == NodeType::comm_recv;
}

void add_integer(const Attr* a, std::string& to) {
  if (const IntValue v = int_value(a)) to += std::to_string(v.value);
  to += '|';
}

std::string class_of(const Trace& trace, const Node& node) {
  std::string text = std::to_string(static_cast<int>(node.type)) + '|';
  if (!is_call(node.type)) {
    for (const char c : trace.nodes.name(node)) {
      if (c < '0' || c > '9') text += c;
    }
    return text;
  }
  const FoundAttrs<call_names> found(trace.nodes.attributes(node));
  add_integer(found[attr::comm_size], text);
  if (node.type != NodeType::comm_coll) {
    add_integer(found[node.type == NodeType::comm_send ? attr::comm_dst : attr::comm_src], text);
    return text;
  }
  add_integer(found[attr::comm_type], text);
  const Attr* const group = found[attr::pg_name];
  if (group != nullptr && group->kind == Kind::string_val) text += trace.nodes.string(*group);
  return text;
}

// Comparisons of a run: calls that equal the call one period later, and calls that differ.
struct PeriodRun {
  std::size_t begin = 0, matches = 0, mismatches = 0;
  [[nodiscard]] std::size_t length() const { return matches + mismatches; }
  [[nodiscard]] double share() const { return static_cast<double>(matches) / static_cast<double>(length()); }
};
// Returns the run with the largest sum, in which a match adds 1 and a mismatch subtracts 4. Ends that do not repeat
// are thus excluded.
PeriodRun best_run(std::span<const std::uint32_t> s, std::size_t period) {
  constexpr std::int64_t cost = 4;
  PeriodRun best, now;
  std::int64_t sum = 0, most = 0;
  for (std::size_t i = 0; i + period < s.size(); ++i) {
    if (sum <= 0) {
      sum = 0;
      now = {.begin = i};
    }
    const bool same = s[i] == s[i + period];
    sum += same ? 1 : -cost;
    ++(same ? now.matches : now.mismatches);
    if (sum <= most) continue;
    most = sum;
    best = now;
  }
  return best;
}

std::size_t count_matches(std::span<const std::uint32_t> s, std::size_t period) {
  std::size_t matches = 0;
  for (std::size_t i = 0; i + period < s.size(); ++i) matches += s[i] == s[i + period] ? 1 : 0;
  return matches;
}

class PeriodFinder {
 public:
  PeriodFinder(std::span<const std::uint32_t> s, std::size_t wanted) : s_(s), wanted_(wanted) {}

  CallPeriod find() {
    constexpr std::size_t most_work = std::size_t{4} << 30U;  // comparisons, which take seconds
    const std::size_t longest = std::min(s_.size() / 2, most_work / std::max<std::size_t>(s_.size(), 1));
    // Only these periods cover 90 % of the calls with the wanted number of iterations.
    const std::size_t first = wanted_ == 0 ? 1 : std::max<std::size_t>(1, 9 * s_.size() / 10 / (wanted_ + 1));
    const std::size_t last = wanted_ == 0 ? longest : std::min(longest, s_.size() / wanted_);
    // No period can explain more than all calls.
    for (std::size_t period = first; period <= last && explained_ < s_.size(); ++period) try_period(period);
    if (best_.iterations == 0 && wanted_ != 0) return PeriodFinder(s_, 0).find_nearest(longest);
    return best_.iterations != 0 ? best_ : nearest_;
  }

 private:
  CallPeriod find_nearest(std::size_t longest) {
    for (std::size_t period = 1; period <= longest; ++period) try_period(period);
    return nearest_;
  }

  void try_period(std::size_t period) {
    const std::size_t matches = count_matches(s_, period);
    const double share = static_cast<double>(matches) / static_cast<double>(s_.size() - period);
    if (share > nearest_.share) nearest_ = {.calls = period, .share = share};
    if (matches + matches / 16 + period <= explained_) return;  // no run can explain more
    const PeriodRun run = best_run(s_, period);
    const std::size_t covered = run.length() + period;
    if (run.length() < period || 10 * covered < 9 * s_.size() || run.share() < least_period_share) return;
    if (wanted_ != 0 && covered / period != wanted_) return;
    // A single call that differs causes two mismatches.
    const std::size_t explained = covered - (run.mismatches + 1) / 2;
    if (explained <= explained_) return;
    explained_ = explained;
    best_ = {.calls = period, .share = run.share(), .first = run.begin, .iterations = covered / period};
  }

  std::span<const std::uint32_t> s_;
  std::size_t wanted_;
  std::size_t explained_ = 0;
  CallPeriod best_, nearest_;
};

class PeriodCut {
 public:
  PeriodCut(const Trace& trace, const CallPeriod& period, std::vector<std::uint32_t> classes,
            const std::vector<std::size_t>& calls, Iterations& out)
      : period_(period), classes_(std::move(classes)), calls_(calls), out_(out) {
    is_call_.reserve(classes_.size());
    for (const Node& n : trace.nodes.nodes) is_call_.push_back(is_call(n.type));
  }

  void run() {
    const std::size_t before = alike_before();
    std::vector<std::size_t> cuts;
    for (std::size_t k = 0; k < period_.iterations; ++k) cuts.push_back(anchor(k) - before);
    // The last iteration extends as far after its last call as the first one.
    const std::size_t tail = cuts[1] - 1 - calls_[period_.first + period_.calls - 1];
    std::size_t end = calls_[period_.first + period_.iterations * period_.calls - 1] + 1;
    for (std::size_t i = 0; i < tail && end < out_.order.size() && !is_call_[out_.order[end]]; ++i) ++end;
    out_.of.assign(out_.order.size(), Iterations::prologue);
    for (std::size_t k = 0; k < cuts.size(); ++k) {
      out_.numbers.push_back(static_cast<std::int64_t>(k));
      const std::size_t until = k + 1 < cuts.size() ? cuts[k + 1] : end;
      for (std::size_t i = cuts[k]; i < until; ++i) out_.of[out_.order[i]] = static_cast<std::uint32_t>(k);
    }
    for (std::size_t i = end; i < out_.order.size(); ++i) out_.of[out_.order[i]] = Iterations::epilogue;
  }

 private:
  [[nodiscard]] std::size_t anchor(std::size_t k) const { return calls_[period_.first + k * period_.calls]; }

  // Returns how many nodes before the first call of each iteration are alike, up to another call.
  [[nodiscard]] std::size_t alike_before() const {
    for (std::size_t n = 0;; ++n) {
      if (n == anchor(0)) return n;
      const std::uint32_t first = out_.order[anchor(0) - n - 1];
      if (is_call_[first]) return n;
      for (std::size_t k = 1; k < period_.iterations; ++k) {
        const std::uint32_t other = out_.order[anchor(k) - n - 1];
        if (is_call_[other] || classes_[other] != classes_[first]) return n;
      }
    }
  }

  const CallPeriod& period_;
  std::vector<std::uint32_t> classes_;
  const std::vector<std::size_t>& calls_;  // positions in the order
  Iterations& out_;
  std::vector<bool> is_call_;
};

}  // namespace

CallPeriod find_period(std::span<const std::uint32_t> sequence, std::size_t wanted) {
  return PeriodFinder(sequence, wanted).find();
}

std::vector<std::uint32_t> alike_classes(const Trace& trace) {
  TextSet texts;
  std::vector<std::uint32_t> out;
  out.reserve(trace.nodes.nodes.size());
  for (const Node& n : trace.nodes.nodes) out.push_back(texts.add(class_of(trace, n)));
  return out;
}

namespace {

// Returns the iterations by the period that `find` returns for the calls.
template <class Find>
Iterations by_period(const Trace& trace, const Find& find) {
  Iterations out;
  out.order = iteration_order(trace);
  std::vector<std::uint32_t> classes = alike_classes(trace);
  std::vector<std::size_t> calls;
  std::vector<std::uint32_t> sequence;
  for (std::size_t i = 0; i < out.order.size(); ++i) {
    if (!is_call(trace.nodes.nodes[out.order[i]].type)) continue;
    calls.push_back(i);
    sequence.push_back(classes[out.order[i]]);
  }
  const CallPeriod period = find(sequence);
  if (period.iterations != 0) PeriodCut(trace, period, std::move(classes), calls, out).run();
  return out;
}

}  // namespace

Iterations periodic_iterations(const Trace& trace, CallPeriod& found, std::size_t wanted) {
  return by_period(trace, [&](std::span<const std::uint32_t> calls) { return found = find_period(calls, wanted); });
}

Iterations iterations_of_period(const Trace& trace, const CallPeriod& period) {
  return by_period(trace, [&](std::span<const std::uint32_t>) { return period; });
}

}  // namespace convert
