// SPDX-License-Identifier: MIT
#include "page/report/slices.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace convert {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccd;
}

// Returns the indices of the slices of each NPU, by lane and begin.
std::vector<std::vector<std::uint32_t>> sorted_slices(const Run& run, const NpuIndex& index) {
  const std::vector<Slice>& slices = run.timeline.slices;
  std::vector<std::vector<std::uint32_t>> lists(index.ranks().size());
  for (std::uint32_t i = 0; i < slices.size(); ++i) {
    const std::uint32_t npu = index[slices[i].rank];
    if (npu != no_index) lists[npu].push_back(i);
  }
  for (std::vector<std::uint32_t>& list : lists) {
    std::sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto key = [&](std::uint32_t i) {
        const Slice& s = slices[i];
        return std::tuple(s.lane, s.begin_ps, s.end_ps, s.node, i);
      };
      return key(a) < key(b);
    });
  }
  return lists;
}

// Returns the representative of each NPU, by NpuIndex.
std::vector<std::uint32_t> representatives(const Run& run, const NpuIndex& index,
                                           const std::vector<std::vector<std::uint32_t>>& lists) {
  std::vector<std::uint32_t> like(lists.size());
  std::iota(like.begin(), like.end(), 0U);
  for (const Run::Class& c : run.classes) {
    const std::uint32_t npu = index[c.npu];
    const std::uint32_t other = index[c.like];
    if (npu != no_index && other != no_index) like[npu] = other;
  }
  if (lists.size() <= most_npus_alone) return like;
  std::unordered_map<std::uint64_t, std::uint32_t> first;
  for (std::uint32_t npu = 0; npu < lists.size(); ++npu) {
    if (like[npu] != npu) continue;
    std::uint64_t hash = lists[npu].size();
    for (const std::uint32_t i : lists[npu]) {
      const Slice& s = run.timeline.slices[i];
      hash = mixed(mixed(mixed(hash, static_cast<std::uint64_t>(s.lane)), static_cast<std::uint64_t>(s.begin_ps)),
                   static_cast<std::uint64_t>(s.end_ps));
    }
    like[npu] = first.emplace(hash, npu).first->second;
  }
  for (std::uint32_t& other : like) other = like[other];
  return like;
}

// Returns the NPUs to show: the representatives. If these are too many, NPUs of the critical path come first, then
// NPUs that wait least for others.
std::vector<ShownNpu> shown_npus(const Run& run, const NpuIndex& index, const RunParts& parts,
                                 const std::vector<std::uint32_t>& like) {
  std::vector<std::uint32_t> alike(like.size(), 0);
  for (const std::uint32_t other : like) ++alike[other];
  std::vector<ShownNpu> shown;
  for (std::uint32_t npu = 0; npu < alike.size(); ++npu) {
    if (alike[npu] != 0) shown.push_back({npu, alike[npu]});
  }
  if (shown.size() <= most_npus_alone) return shown;
  std::vector<bool> on_path(alike.size(), false);
  for (const Run::Step& step : run.path) {
    if (const std::uint32_t npu = index[step.npu]; npu != no_index && step.time_ps > 0) on_path[like[npu]] = true;
  }
  std::stable_sort(shown.begin(), shown.end(), [&](const ShownNpu& a, const ShownNpu& b) {
    const auto key = [&](const ShownNpu& n) {
      return std::tuple(!on_path[n.npu], parts.npus[n.npu][Part::waiting]);
    };
    return key(a) < key(b);
  });
  shown.resize(most_npus_alone);
  std::sort(shown.begin(), shown.end(), [](const ShownNpu& a, const ShownNpu& b) { return a.npu < b.npu; });
  return shown;
}

class Merger {
 public:
  Merger(const Run& run, const RunParts& parts, const std::vector<std::vector<std::uint32_t>>& lists)
      : run_(run), parts_(parts), lists_(lists) {}

  // Fills `shown.slices`. Slices shorter than `below` with gaps shorter than `below` are merged.
  void fill(ShownTimeline& shown, Picoseconds below) const {
    shown.slices.clear();
    shown.merged_below_ps = below;
    for (std::uint32_t row = 0; row < shown.npus.size(); ++row) {
      const std::size_t first = shown.slices.size();
      for (const std::uint32_t i : lists_[shown.npus[row].npu]) {
        const ShownSlice next = single(i, row);
        if (shown.slices.size() > first && joins(shown.slices.back(), next, below)) {
          join(shown.slices.back(), next);
        } else {
          shown.slices.push_back(next);
        }
      }
    }
  }

 private:
  [[nodiscard]] ShownSlice single(std::uint32_t i, std::uint32_t row) const {
    const Slice& slice = run_.timeline.slices[i];
    return {&slice, row, 1, slice.end_ps, parts_.wait_ps[i], run_.slack_ps.empty() ? -1 : run_.slack_ps[i]};
  }
  static bool joins(const ShownSlice& last, const ShownSlice& next, Picoseconds below) {
    return last.slice->lane == next.slice->lane && next.end_ps - next.slice->begin_ps < below &&
           (last.count > 1 || last.end_ps - last.slice->begin_ps < below) &&
           next.slice->begin_ps - last.end_ps < below && next.end_ps - last.slice->begin_ps < 4 * below;
  }
  static void join(ShownSlice& last, const ShownSlice& next) {
    ++last.count;
    last.end_ps = std::max(last.end_ps, next.end_ps);
    last.wait_ps = 0;
    last.slack_ps = std::min(last.slack_ps, next.slack_ps);
  }

  const Run& run_;
  const RunParts& parts_;
  const std::vector<std::vector<std::uint32_t>>& lists_;
};

}  // namespace

ShownTimeline shown_timeline(const Run& run, const NpuIndex& index, const RunParts& parts) {
  const auto lists = sorted_slices(run, index);
  ShownTimeline shown;
  const std::vector<std::uint32_t> like = representatives(run, index, lists);
  shown.npus = shown_npus(run, index, parts, like);
  std::vector<std::int32_t> row_of(like.size(), -1);
  for (std::size_t row = 0; row < shown.npus.size(); ++row)
    row_of[shown.npus[row].npu] = static_cast<std::int32_t>(row);
  for (const std::uint32_t other : like) shown.rows.push_back(row_of[other]);
  const Merger merger(run, parts, lists);
  merger.fill(shown, 0);
  const Picoseconds end = std::max<Picoseconds>(window(run), 1);
  for (Picoseconds parts_of_end = 65'536; shown.slices.size() > most_slices && parts_of_end >= 16;
       parts_of_end /= 2) {
    merger.fill(shown, end / parts_of_end + 1);
  }
  return shown;
}

void add_slices(const Run& run, const ShownTimeline& shown, PageTexts& names, ReportColumns& columns) {
  const auto& slices = shown.slices;
  columns.numbers(
      "row.npu", shown.npus, [](const ShownNpu& n) { return n.npu; }, Column::Code::delta);
  columns.numbers(
      "npu.row", shown.rows, [](std::int32_t row) { return row; }, Column::Code::delta);
  columns.numbers("row.alike", shown.npus, [](const ShownNpu& n) { return n.alike; });
  columns.numbers(
      "slice.row", slices, [](const ShownSlice& s) { return s.row; }, Column::Code::delta);
  columns.kinds("slice.lane", slices, [](const ShownSlice& s) { return s.slice->lane; });
  columns.times("slice.begin", slices, [](const ShownSlice& s) { return s.slice->begin_ps; });
  columns.times(
      "slice.time", slices, [](const ShownSlice& s) { return s.end_ps - s.slice->begin_ps; }, Column::Code::dict);
  columns.times(
      "slice.wait", slices, [](const ShownSlice& s) { return s.wait_ps; }, Column::Code::dict);
  columns.ids("slice.node", slices, [](const ShownSlice& s) { return s.slice->node; });
  columns.numbers("slice.name", slices, [&](const ShownSlice& s) { return names.number(s.slice->name); });
  columns.reals(
      "slice.bytes", slices, [](const ShownSlice& s) { return s.slice->bytes; }, Column::Code::dict);
  columns.numbers(
      "slice.peer", slices, [](const ShownSlice& s) { return s.slice->peer; }, Column::Code::delta);
  columns.numbers(
      "slice.call", slices, [](const ShownSlice& s) { return s.slice->call; }, Column::Code::delta);
  columns.numbers("slice.count", slices, [](const ShownSlice& s) { return s.count; });
  columns.kinds("slice.open", slices, [](const ShownSlice& s) { return s.slice->open; });
  if (!run.slack_ps.empty()) {
    columns.times(
        "slice.slack", slices, [](const ShownSlice& s) { return s.slack_ps; }, Column::Code::dict);
  }
}

}  // namespace convert
