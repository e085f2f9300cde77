// SPDX-License-Identifier: MIT
#include "analyze/parts.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace convert {
namespace {

enum What : std::uint8_t { computing, communicating, waiting, remote_memory, on_cpu, whats };

// Begin (+1) or end (-1) of an activity.
struct Change {
  Picoseconds at = 0;
  What what = computing;
  std::int8_t by = 0;
};

What what_of(Lane lane) {
  if (communicates(lane)) return communicating;
  if (lane == Lane::compute) return computing;
  return lane == Lane::memory ? remote_memory : on_cpu;
}

Part part_of(const std::array<std::int64_t, whats>& active) {
  if (active[computing] > 0) return active[communicating] > 0 ? Part::overlap : Part::compute;
  if (active[communicating] > 0) return Part::exposed;
  if (active[waiting] > 0) return Part::waiting;
  if (active[remote_memory] > 0) return Part::memory;
  return active[on_cpu] > 0 ? Part::cpu : Part::idle;
}

}  // namespace

std::vector<Rank> npus_of(const Run& run) {
  std::vector<Rank> npus;
  for (const Run::Npu& n : run.npus) npus.push_back(n.rank);
  if (npus.empty()) {
    for (const Slice& s : run.timeline.slices) npus.push_back(s.rank);
  }
  std::ranges::sort(npus);
  npus.erase(std::ranges::unique(npus).begin(), npus.end());
  return npus;
}

std::vector<std::vector<std::uint32_t>> slices_by_npu(const Run& run) {
  const std::vector<Rank> npus = npus_of(run);
  const std::vector<Slice>& slices = run.timeline.slices;
  std::vector<std::vector<std::uint32_t>> by_npu(npus.size());
  for (std::uint32_t i = 0; i < slices.size(); ++i) {
    const auto at = std::ranges::lower_bound(npus, slices[i].rank);
    if (at != npus.end() && *at == slices[i].rank) by_npu[static_cast<std::size_t>(at - npus.begin())].push_back(i);
  }
  for (std::vector<std::uint32_t>& of : by_npu)
    std::ranges::stable_sort(of, {}, [&](std::uint32_t i) { return slices[i].begin_ps; });
  return by_npu;
}

std::vector<std::size_t> told_by(const Run& run) {
  const std::vector<Rank> npus = npus_of(run);
  std::vector<std::size_t> by(npus.size());
  std::iota(by.begin(), by.end(), std::size_t{0});
  const auto place = [&](Rank npu) {
    const auto at = std::ranges::lower_bound(npus, npu);
    return at == npus.end() || *at != npu ? npus.size() : static_cast<std::size_t>(at - npus.begin());
  };
  for (const Run::Class& c : run.classes) {
    const std::size_t npu = place(c.npu);
    const std::size_t like = place(c.like);
    if (npu < by.size() && like < by.size()) by[npu] = like;
  }
  return by;
}

CommunicationWaits::CommunicationWaits(const Run& run) : run_(run) {
  for (const Slice& s : run.timeline.slices) {
    if (s.lane == Lane::send && s.flow != 0) sends_.emplace_back(s.flow, s.begin_ps);
  }
  std::ranges::sort(sends_);
}

Picoseconds CommunicationWaits::until(const Slice& s) const {
  Picoseconds until = s.begin_ps;
  if (s.lane == Lane::collective && s.call != no_index) {
    const Run::Call& call = run_.calls[s.call];
    until = s.open && call.end_ps == -1 ? s.end_ps : call.last_begin_ps;
  } else if (s.lane == Lane::recv && s.flow != 0) {
    const auto send = std::ranges::lower_bound(sends_, s.flow, {}, &std::pair<std::uint64_t, Picoseconds>::first);
    const bool found = send != sends_.end() && send->first == s.flow;
    until = found ? send->second : s.open ? s.end_ps : s.begin_ps;
  } else if (s.lane == Lane::recv && s.open) {
    until = s.end_ps;
  }
  return std::clamp(until, s.begin_ps, s.end_ps);
}

void for_each_stretch(const Run& run, std::span<const std::uint32_t> slices, const CommunicationWaits& waits,
                      const TakeStretch& take) {
  std::vector<Change> changes;
  changes.reserve(2 * slices.size());
  const auto add = [&](What what, Picoseconds begin, Picoseconds end) {
    if (begin >= end) return;
    changes.push_back({begin, what, 1});
    changes.push_back({end, what, -1});
  };
  for (const std::uint32_t i : slices) {
    const Slice& s = run.timeline.slices[i];
    const Picoseconds since = communicates(s.lane) ? waits.until(s) : s.begin_ps;
    add(waiting, s.begin_ps, since);
    add(what_of(s.lane), since, s.end_ps);
  }
  std::ranges::sort(changes, {}, &Change::at);
  const Picoseconds total = window(run);
  std::array<std::int64_t, whats> active{};
  Picoseconds from = 0;
  for (const Change& change : changes) {
    const Picoseconds at = std::clamp<Picoseconds>(change.at, 0, total);
    if (at > from) take(part_of(active), std::exchange(from, at), at);
    active.at(change.what) += change.by;
  }
  if (total > from) take(part_of(active), from, total);
}

std::vector<NpuParts> parts_of(const Run& run) {
  std::vector<NpuParts> parts;
  if (run.timeline.slices.empty()) return parts;
  const CommunicationWaits waits(run);
  const std::vector<std::vector<std::uint32_t>> by_npu = slices_by_npu(run);
  const std::vector<std::size_t> by = told_by(run);
  for (const Rank npu : npus_of(run)) {
    NpuParts& p = parts.emplace_back(NpuParts{.npu = npu});
    const std::size_t n = parts.size() - 1;
    if (by[n] != n) continue;
    for_each_stretch(run, by_npu[n], waits, [&](Part part, Picoseconds begin, Picoseconds end) {
      p.ps.at(static_cast<std::size_t>(part)) += end - begin;
    });
  }
  for (std::size_t n = 0; n < parts.size(); ++n) parts[n].ps = parts[by[n]].ps;
  return parts;
}

}  // namespace convert
