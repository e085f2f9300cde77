// SPDX-License-Identifier: MIT
#include "analyze/diff/path_parts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyze/intervals.h"
#include "analyze/parts.h"
#include "analyze/runs/slices.h"

namespace convert {
namespace {

using StepKind = Run::StepKind;

bool sends_message(StepKind kind) {
  return kind == StepKind::message || kind == StepKind::request || kind == StepKind::requested;
}
// Returns whether a step is communication. Other steps are own work of an NPU.
bool is_communication(StepKind kind) {
  return sends_message(kind) || kind == StepKind::receive || kind == StepKind::recorded ||
         kind == StepKind::collective;
}

std::string title_of(const Run& run, const Run::Step& step) {
  if (step.call < run.calls.size()) return std::string(name(run.calls[step.call].op));
  switch (step.kind) {
    case StepKind::compute: return "computing";
    case StepKind::cpu: return "CPU";
    case StepKind::memory: return "memory";
    case StepKind::recorded: return "recorded communication";
    case StepKind::message:
    case StepKind::receive:
    case StepKind::request:
    case StepKind::requested: return "messages";
    case StepKind::collective: return "collectives";
    case StepKind::delay:
    case StepKind::unexplained: break;
  }
  return "unexplained waiting";
}

// Times from which NPUs wait for another NPU.
class Waiting {
 public:
  explicit Waiting(const Run& run) : run_(run), slices_(run) {
    for (const SlicesByNpu::Npu& npu : slices_.npus()) {
      Work& work = work_[npu.rank];
      work.weight = npu.stands_for;
      for (const std::uint32_t s : npu.slices) {
        const Slice& slice = run.timeline.slices[s];
        const bool received = slice.lane == Lane::recv || slice.lane == Lane::collective;
        if (received) work.awaited.push_back({slice.begin_ps, slice.end_ps});
        if (slice.lane == Lane::compute || slice.lane == Lane::memory)
          work.busy.push_back({slice.begin_ps, slice.end_ps});
      }
      work.busy = join(std::move(work.busy));
      work.awaited = join(std::move(work.awaited));
    }
  }

  // Returns the time from which the members of a call wait for its last NPU, and the number of NPUs that come last.
  [[nodiscard]] std::pair<Picoseconds, std::int64_t> before_call(std::uint32_t call) const {
    const Run::Call& c = run_.calls[call];
    std::vector<Since> others;
    std::int64_t last = 0;
    for (const Run::CallNpu& n : of_call(call)) {
      const auto at = work_.find(n.npu);
      const std::int64_t weight = at == work_.end() ? slices_.weight(n.npu) : at->second.weight;
      if (n.begin_ps >= c.last_begin_ps) {
        last += weight;
        others.push_back({c.last_begin_ps, weight});
      } else {
        const Picoseconds idle = at == work_.end() ? 0 : at->second.idle_since(c.last_begin_ps);
        others.push_back({std::max(n.begin_ps, idle), weight});
      }
    }
    if (last == 0) return {c.last_begin_ps, 0};
    return {half_of(std::move(others), c.last_begin_ps), last};
  }

  // Returns the time from which at least half of the other NPUs have waited until `time`.
  [[nodiscard]] Picoseconds before_message(Rank npu, Picoseconds time) const {
    std::vector<Since> others;
    for (const auto& [rank, work] : work_) {
      const bool self = rank == npu;
      others.push_back({self ? time : work.waits_since(time), work.weight});
    }
    return half_of(std::move(others), time);
  }

 private:
  struct Since {
    Picoseconds time = 0;
    std::int64_t weight = 1;
  };
  struct Work {
    Intervals busy, awaited;
    std::int64_t weight = 1;

    // Returns the time from which the NPU has had no own work until `time`.
    [[nodiscard]] Picoseconds idle_since(Picoseconds time) const {
      const Interval* last = before(busy, time);
      return last == nullptr ? 0 : std::min(last->end, time);
    }
    // Returns the time from which the NPU has only waited for others until `time`.
    [[nodiscard]] Picoseconds waits_since(Picoseconds time) const {
      const Interval* last = before(awaited, time);
      if (last == nullptr || last->end < time) return time;
      return std::max(last->begin, idle_since(time));
    }
    // Returns the last interval that begins before `time`.
    static const Interval* before(const Intervals& intervals, Picoseconds time) {
      const auto at = std::ranges::lower_bound(intervals, time, {}, &Interval::begin);
      return at == intervals.begin() ? nullptr : &*std::prev(at);
    }
  };

  // Returns the time from which at least half of all NPUs but one wait.
  static Picoseconds half_of(std::vector<Since>&& npus, Picoseconds until) {
    std::ranges::stable_sort(npus, {}, &Since::time);
    std::int64_t all = 0, waiting = 0;
    for (const Since& s : npus) all += s.weight;
    for (const Since& s : npus) {
      waiting += s.weight;
      if (2 * waiting >= all - 1) return std::min(s.time, until);
    }
    return until;
  }

  [[nodiscard]] std::span<const Run::CallNpu> of_call(std::uint32_t call) const {
    const auto found = std::ranges::equal_range(run_.call_npus, call, {}, &Run::CallNpu::call);
    return {found.begin(), found.end()};
  }

  const Run& run_;
  SlicesByNpu slices_;
  std::map<Rank, Work> work_;
};

// Walks the path backward: work of an NPU before a collective or a message may be waiting for others.
class PathDivider {
 public:
  PathDivider(const Run& run, const TakePathPart& part) : run_(run), part_(part), waiting_(run) {}

  void divide() {
    for (std::size_t i = run_.path.size(); i-- > 0;) {
      const Run::Step& step = run_.path[i];
      if (!is_communication(step.kind)) {
        own(step, i);
      } else {
        give(PathWork::communication, title_of(run_, step), step, step.time_ps);
      }
    }
  }

 private:
  // Handles an own step of an NPU. From the time at which others wait, the step counts as waiting for this NPU.
  void own(const Run::Step& step, std::size_t i) {
    if (run_of_own_ != step.npu || i + 1 == run_.path.size() || is_communication(run_.path[i + 1].kind)) {
      run_of_own_ = step.npu;
      since_ = INT64_MAX;
      if (i + 1 < run_.path.size()) look(step, run_.path[i + 1]);
    }
    const Picoseconds end = step.begin_ps + step.time_ps;
    const Picoseconds waited = end - std::clamp(since_, step.begin_ps, end);
    if (waited != 0) give(PathWork::waiting, who_, step, waited);
    if (waited == step.time_ps && waited != 0) return;
    const bool unexplained = step.kind == StepKind::delay || step.kind == StepKind::unexplained;
    give(unexplained ? PathWork::waiting : PathWork::computing, title_of(run_, step), step, step.time_ps - waited);
  }

  void look(const Run::Step& step, const Run::Step& next) {
    const Picoseconds end = step.begin_ps + step.time_ps;
    who_ = "waiting for NPU " + std::to_string(step.npu);
    if (next.call < run_.calls.size()) {
      if (run_.calls[next.call].last_begin_ps != end) return;
      const auto [since, last] = waiting_.before_call(next.call);
      if (last > 1) who_ = "waiting for the last " + std::to_string(last) + " NPUs";
      since_ = since;
    } else if (sends_message(next.kind) && next.npu == step.npu) {
      since_ = waiting_.before_message(step.npu, end);
    }
  }

  void give(PathWork kind, const std::string& what, const Run::Step& step, Picoseconds time) {
    const TextSet& names = run_.timeline.names;
    part_(kind, what, step.name < names.size() ? names[step.name] : std::string_view(), time);
  }

  const Run& run_;
  const TakePathPart& part_;
  Waiting waiting_;
  std::optional<Rank> run_of_own_;
  Picoseconds since_ = INT64_MAX;
  std::string who_;
};

}  // namespace

void for_each_path_part(const Run& run, const TakePathPart& part) {
  if (!run.path.empty()) PathDivider(run, part).divide();
}

std::optional<PathShares> path_shares(const Run& run) {
  PathShares shares;
  double all = 0;
  for_each_path_part(run, [&](PathWork kind, const std::string&, std::string_view, Picoseconds time) {
    double& share = kind == PathWork::computing       ? shares.computing
                    : kind == PathWork::communication ? shares.communication
                                                      : shares.waiting;
    share += static_cast<double>(time);
    all += static_cast<double>(time);
  });
  if (all <= 0) return std::nullopt;
  for (double* const share : {&shares.computing, &shares.communication, &shares.waiting}) *share /= all;
  return shares;
}

}  // namespace convert
