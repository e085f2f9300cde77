// SPDX-License-Identifier: MIT
#include "passes/ten/check.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <utility>

#include "core/algorithm/demands.h"
#include "core/units.h"
#include "passes/ten/retime.h"

namespace convert {
namespace {

using Wire = Schedule::Wire;
using Time = Schedule::Time;
using Transfer = Schedule::Transfer;

class ScheduleChecker {
 public:
  ScheduleChecker(const Schedule& s, Diagnostics& diagnostics) : s_(s), diagnostics_(diagnostics), wires_(s) {}

  void check_wires() {
    const std::vector<Leg> legs = legs_by_wire(s_);
    std::vector<bool> used(s_.wires.size());
    const Leg* last = nullptr;
    for (const Leg& t : legs) {
      const std::uint32_t l = wires_.find(t.src, t.dst);
      if (l == no_index) {
        diagnostics_.error(
            at(t), "R1",
            describe(s_, t) + ": there is no link " + std::to_string(t.src) + "->" + std::to_string(t.dst));
        continue;
      }
      check_duration(t, s_.wires[l]);
      if (last != nullptr && used[l] && s_.time != Time::steps) check_pair(*last, t, s_.wires[l]);
      used[l] = true;
      last = &t;
    }
    if (s_.time == Time::steps) check_rounds(legs);
    const auto unused = std::ranges::find(used, false);
    if (unused == used.end()) return;
    const Wire& first = s_.wires[static_cast<std::size_t>(unused - used.begin())];
    const auto n = static_cast<std::uint64_t>(std::ranges::count(used, false));
    diagnostics_.warning({.file = s_.file, .line = first.line}, "R7",
                         counted(n, "link") + (n == 1 ? " is" : " are") + std::string(unused_links_text) +
                             std::to_string(first.src) + "->" + std::to_string(first.dst));
  }

  void check_end(const Flow& flow) {
    count(redundant_transfers(flow), "brings a copy to a node that already holds it",
          "bring copies to nodes that already hold them");
    count(flow.late, "starts after all chunks have reached their destinations",
          "start after all chunks have reached their destinations");
    const auto end = written_time(s_);
    if (!end || !s_.claimed_ps) return;
    const Picoseconds off = *s_.claimed_ps - *end;
    // the claimed time may include latencies that the schedule does not state
    if (off > 0 && !s_.wires_told) return;
    constexpr Picoseconds relative = 1'000'000;
    if (std::abs(off) <= std::max<Picoseconds>(1, *end / relative)) return;
    warn("claims to take " + format_exact(*s_.claimed_ps, ps_per_us) + " µs, " +
         format_exact(std::abs(off), ps_per_us) + " µs too " + (off > 0 ? "much" : "little") +
         ": the last transfer ends at " + format_exact(*end, ps_per_us) + " µs");
  }

 private:
  template <class Part>
  [[nodiscard]] Location at(const Part& t) const {
    return {.file = s_.file, .line = t.line};
  }

  void check_duration(const Leg& t, const Wire& wire) {
    const auto bytes = bytes_of(s_, s_.transfers[t.transfer]);
    if (!bytes || wire.bandwidth_gib_per_s <= 0 || s_.time == Time::order) return;
    double took = static_cast<double>(t.end - t.start);
    if (s_.time == Time::steps) {
      if (!s_.step_ps) return;
      took *= static_cast<double>(*s_.step_ps);
    }
    const double hop = hop_ps(wire, *bytes);
    constexpr double relative = 1e-6;
    if (took >= hop - std::max(1.0, relative * hop)) return;
    diagnostics_.error(at(t), "R2",
                       describe(s_, t) + " takes " + format_exact(rounded_ps(took), ps_per_us) +
                           " µs, less than the " + format_exact(rounded_ps(hop), ps_per_us) +
                           " µs that its link requires");
  }

  void check_pair(const Leg& before, const Leg& t, const Wire& wire) {
    const bool overlap = s_.time == Time::order ? t.start == before.start
                                                : t.start < before.start + occupied(before, wire) -
                                                                tolerance(s_, before.end - before.start);
    if (!overlap) return;
    diagnostics_.error(
        at(t), "R3",
        describe(s_, t) + " starts at " + text(t.start) + ", while its link still carries " + describe(s_, before));
  }

  // With steps, a link may carry several transfers at once, up to its rounds.
  void check_rounds(const std::vector<Leg>& legs) {
    // of the transfers on the link
    std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> ends;
    std::uint32_t last_wire = no_index;
    for (const Leg& t : legs) {
      const std::uint32_t l = wires_.find(t.src, t.dst);
      if (l == no_index || s_.wires[l].rounds == 0) continue;
      if (l != last_wire) ends = {};
      last_wire = l;
      while (!ends.empty() && ends.top() <= t.start) ends.pop();
      ends.push(t.start + occupied(t, s_.wires[l]));
      if (ends.size() == std::size_t{s_.wires[l].rounds} + 1) {
        diagnostics_.error(at(t), "R3",
                           describe(s_, t) + " exceeds at " + text(t.start) + " the capacity of its link (" +
                               std::to_string(s_.wires[l].rounds) + ")");
      }
    }
  }

  // Returns how long a transfer occupies its link.
  [[nodiscard]] std::int64_t occupied(const Leg& t, const Wire& wire) const {
    if (s_.occupancy == Schedule::Occupancy::alpha_beta) return t.end - t.start;
    if (s_.time == Time::steps) return 1;
    return std::min(t.end - t.start,
                    rounded_ps(serialization_ps(wire, bytes_of(s_, s_.transfers[t.transfer]).value_or(0))));
  }

  void warn(const std::string& what) { diagnostics_.warning({.file = s_.file}, "R7", what, hint()); }

  void count(const std::vector<bool>& which, const std::string& what_one, const std::string& what_many) {
    const auto n = std::ranges::count(which, true);
    if (n == 0) return;
    const auto first = static_cast<std::size_t>(std::ranges::find(which, true) - which.begin());
    diagnostics_.warning(at(s_.transfers[first]), "R7",
                         (n == 1 ? "1 transfer " + what_one : counted(n, "transfer") + " " + what_many) +
                             "; the first is " + describe(s_, s_.transfers[first]),
                         hint());
  }

  [[nodiscard]] std::vector<bool> redundant_transfers(const Flow& flow) const {
    std::vector<bool> out(s_.transfers.size());
    for (std::uint32_t i = 0; i < out.size(); ++i) {
      for (std::uint32_t k = 0; k < chunk_count(s_.transfers[i]) && !out[i]; ++k)
        out[i] = flow.redundant[cargo_at(s_, i, k)];
    }
    return out;
  }

  [[nodiscard]] std::string text(std::int64_t time) const {
    if (s_.time == Time::continuous) return format_exact(time, ps_per_us) + " µs";
    return (s_.time == Time::steps ? "step " : "position ") + std::to_string(time);
  }

  // Returns the next step for the user, for the first such finding only.
  [[nodiscard]] std::vector<std::string> hint() {
    if (std::exchange(hinted_, true)) return {};
    return {"hint: use et-convert --repair to drop such copies and compute new times"};
  }

  const Schedule& s_;
  Diagnostics& diagnostics_;
  WireIndex wires_;
  bool hinted_ = false;
};

}  // namespace

std::optional<Picoseconds> written_time(const Schedule& schedule) {
  std::int64_t end = 0;
  for (const Transfer& t : schedule.transfers) end = std::max(end, t.end);
  if (schedule.time == Time::continuous) return end;
  std::int64_t ps = 0;
  if (schedule.time == Time::order || !schedule.step_ps || __builtin_mul_overflow(end, *schedule.step_ps, &ps)) {
    return std::nullopt;
  }
  return ps;
}

Flow check_schedule(const Schedule& schedule, Schedule& timed, Diagnostics& diagnostics) {
  ScheduleChecker checker(schedule, diagnostics);
  checker.check_wires();
  for (DemandFinding& m : missing_demands(schedule, schedule.collective, true))
    diagnostics.error({.file = schedule.file, .line = m.line}, "R6", std::move(m.what));
  const bool sound = diagnostics.errors() + diagnostics.refused_errors() == 0;
  timed = schedule.time == Time::order && sound ? retime(schedule, diagnostics) : schedule;
  if (timed.time == Time::order) return {};
  Flow flow = follow(timed, diagnostics);
  checker.check_end(flow);
  return flow;
}

}  // namespace convert
