// SPDX-License-Identifier: MIT
#include "page/report/parts.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace convert {
namespace {

enum What : std::uint8_t { computing, communicating, waiting, remote_memory, on_cpu, whats };

// Something begins (+1) or ends (-1).
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

TimePart part_of(const std::array<std::int64_t, whats>& active) {
  if (active[computing] > 0) return active[communicating] > 0 ? TimePart::both : TimePart::compute;
  if (active[communicating] > 0) {
    return active[waiting] == active[communicating] ? TimePart::waiting : TimePart::moving;
  }
  if (active[remote_memory] > 0) return TimePart::memory;
  return active[on_cpu] > 0 ? TimePart::cpu : TimePart::idle;
}

// Calls `each` with the stretches of [0, end) of an NPU, one after the other.
template <typename Each>
void for_each_stretch(std::vector<Change>& changes, Picoseconds end, Each each) {
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  std::array<std::int64_t, whats> active{};
  Picoseconds from = 0;
  for (const Change& change : changes) {
    const Picoseconds at = std::clamp<Picoseconds>(change.at, 0, end);
    if (at > from) {
      each(part_of(active), from, at);
      from = at;
    }
    active.at(change.what) += change.by;
  }
  if (end > from) each(part_of(active), from, end);
}

// Adds `weight` NPUs from one time to another to the bins of a part.
void add_to_bins(double* bins, Picoseconds from, Picoseconds to, Picoseconds end, double weight) {
  const double per_ps = static_cast<double>(activity_bins) / static_cast<double>(end);
  const double a = static_cast<double>(from) * per_ps;
  const double b = static_cast<double>(to) * per_ps;
  const auto last = std::min<std::size_t>(activity_bins - 1, static_cast<std::size_t>(b));
  for (auto i = std::min<std::size_t>(last, static_cast<std::size_t>(a)); i <= last; ++i) {
    const double begin = std::max(a, static_cast<double>(i));
    const double finish = std::min(b, static_cast<double>(i + 1));
    if (finish > begin) bins[i] += weight * (finish - begin);
  }
}

std::vector<std::vector<Change>> changes_by_npu(const Run& run, const NpuIndex& index,
                                                const std::vector<Picoseconds>& waits) {
  std::vector<std::vector<Change>> changes(run.npus.size());
  for (std::size_t i = 0; i < run.timeline.slices.size(); ++i) {
    const Slice& slice = run.timeline.slices[i];
    const std::uint32_t npu = index[slice.rank];
    if (npu == no_index || slice.end_ps <= slice.begin_ps) continue;
    const auto add = [&](What what, Picoseconds begin, Picoseconds end) {
      changes[npu].push_back({begin, what, 1});
      changes[npu].push_back({end, what, -1});
    };
    add(what_of(slice.lane), slice.begin_ps, slice.end_ps);
    if (waits[i] > 0) add(waiting, slice.begin_ps, slice.begin_ps + waits[i]);
  }
  return changes;
}

}  // namespace

Picoseconds window_end(const Run& run) {
  const bool all_ran = run.status == RunStatus::complete || run.status == RunStatus::unmatched;
  return all_ran ? run.total_ps : run.reached_ps;
}

NpuIndex::NpuIndex(const Run& run) {
  for (const Run::Npu& npu : run.npus) ranks_.push_back(npu.rank);
}

std::uint32_t NpuIndex::operator[](Rank rank) const {
  const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
  return found == ranks_.end() || *found != rank ? no_index : static_cast<std::uint32_t>(found - ranks_.begin());
}

std::vector<Picoseconds> slice_waits(const Run& run) {
  const std::vector<Slice>& slices = run.timeline.slices;
  std::unordered_map<std::uint64_t, Picoseconds> sent;
  for (const Slice& slice : slices) {
    if (slice.lane == Lane::send && slice.flow != 0) sent.emplace(slice.flow, slice.begin_ps);
  }
  std::vector<Picoseconds> waits(slices.size(), 0);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const Slice& slice = slices[i];
    Picoseconds until = slice.begin_ps;
    if (slice.lane == Lane::collective && slice.call < run.calls.size()) {
      until = run.calls[slice.call].last_begin_ps;
    } else if (slice.lane == Lane::recv) {
      const auto send = sent.find(slice.flow);
      until = send != sent.end() ? send->second : slice.open ? slice.end_ps : slice.begin_ps;
    }
    waits[i] = std::clamp<Picoseconds>(until - slice.begin_ps, 0, slice.end_ps - slice.begin_ps);
  }
  return waits;
}

RunParts run_parts(const Run& run) {
  RunParts parts;
  parts.wait_ps = slice_waits(run);
  parts.npus.resize(run.npus.size());
  parts.activity.assign(time_part_names.size() * activity_bins, 0);
  const Picoseconds end = window_end(run);
  const NpuIndex index(run);
  std::vector<double> weight(run.npus.size(), 1);
  for (const Run::Class& like : run.classes) {
    const std::uint32_t npu = index[like.npu];
    const std::uint32_t other = index[like.like];
    if (npu == no_index || other == no_index) continue;
    weight[npu] = 0;
    weight[other] += 1;
  }
  std::vector<std::vector<Change>> changes = changes_by_npu(run, index, parts.wait_ps);
  for (std::size_t npu = 0; npu < run.npus.size(); ++npu) {
    if (weight[npu] == 0) continue;
    for_each_stretch(changes[npu], end, [&](TimePart part, Picoseconds from, Picoseconds to) {
      const auto p = static_cast<std::size_t>(part);
      parts.npus[npu].at(p) += to - from;
      add_to_bins(&parts.activity[p * activity_bins], from, to, end, weight[npu]);
    });
  }
  for (const Run::Class& like : run.classes) {
    const std::uint32_t npu = index[like.npu];
    const std::uint32_t other = index[like.like];
    if (npu != no_index && other != no_index) parts.npus[npu] = parts.npus[other];
  }
  return parts;
}

}  // namespace convert
