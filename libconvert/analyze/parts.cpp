// SPDX-License-Identifier: MIT
#include "analyze/parts.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace convert {
namespace {

// Holds the times of an NPU's activities.
struct Activities {
  std::vector<Interval> compute, communication, moving, memory, cpu;

  void add(const Slice& s, Picoseconds waits_until) {
    const Interval time{s.begin_ps, s.end_ps};
    switch (s.lane) {
      case Lane::cpu: cpu.push_back(time); break;
      case Lane::compute: compute.push_back(time); break;
      case Lane::memory: memory.push_back(time); break;
      case Lane::send:
      case Lane::recv:
      case Lane::collective:
        communication.push_back(time);
        moving.push_back({waits_until, s.end_ps});
        break;
    }
  }
};

NpuParts divide(Rank npu, Activities&& a, Picoseconds total) {
  const Intervals whole = join({{0, total}});
  const Intervals compute = common(join(std::move(a.compute)), whole);
  const Intervals communication = common(join(std::move(a.communication)), whole);
  const Intervals exposed = without(communication, compute);
  const Intervals moving = common(exposed, join(std::move(a.moving)));
  const Intervals memory = without(without(common(join(std::move(a.memory)), whole), compute), communication);
  Intervals cpu = without(without(common(join(std::move(a.cpu)), whole), compute), communication);
  cpu = without(cpu, memory);

  NpuParts parts{.npu = npu};
  const auto set = [&](Part part, Picoseconds time) { parts.ps[static_cast<std::size_t>(part)] = time; };
  set(Part::overlap, length(common(compute, communication)));
  set(Part::compute, length(compute) - parts[Part::overlap]);
  set(Part::moving, length(moving));
  set(Part::waiting, length(exposed) - length(moving));
  set(Part::memory, length(memory));
  set(Part::cpu, length(cpu));
  Picoseconds busy = 0;
  for (const Picoseconds time : parts.ps) busy += time;
  set(Part::idle, total - busy);
  return parts;
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

std::vector<NpuParts> parts_of(const Run& run) {
  std::vector<NpuParts> parts;
  if (run.timeline.slices.empty()) return parts;
  const std::vector<Rank> npus = npus_of(run);
  const CommunicationWaits waits(run);
  const std::vector<std::vector<std::uint32_t>> by_npu = slices_by_npu(run);
  for (std::size_t n = 0; n < npus.size(); ++n) {
    Activities activities;
    for (const std::uint32_t i : by_npu[n]) {
      const Slice& s = run.timeline.slices[i];
      activities.add(s, waits.until(s));
    }
    parts.push_back(divide(npus[n], std::move(activities), window(run)));
  }
  const std::vector<std::size_t> by = told_by(run);
  for (std::size_t n = 0; n < npus.size(); ++n) parts[n].ps = parts[by[n]].ps;
  return parts;
}

}  // namespace convert
