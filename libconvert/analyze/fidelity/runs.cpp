// SPDX-License-Identifier: MIT
// Compares two runs by the statistics of their slices.
#include <algorithm>
#include <map>
#include <utility>

#include "analyze/fidelity/fidelity.h"
#include "analyze/parts.h"
#include "analyze/runs/slices.h"

namespace convert {
namespace {

NodeType type_of(Lane lane) {
  switch (lane) {
    case Lane::memory: return NodeType::mem_load;
    case Lane::send: return NodeType::comm_send;
    case Lane::recv: return NodeType::comm_recv;
    case Lane::collective: return NodeType::comm_coll;
    default: return NodeType::comp;
  }
}

// Returns the lane that lane_of() returns for the node; lanes of kind `type` are in the order of Lane.
NodeLane lane_of_slice(const Slice& s) {
  if (s.stream >= 0) return {NodeLane::Kind::stream, s.stream};
  return {NodeLane::Kind::type, static_cast<std::int64_t>(s.lane)};
}

// Reads the slices of an NPU.
class SliceReader {
 public:
  explicit SliceReader(const Run& run) : run_(run), npus_(static_cast<std::int64_t>(npus_of(run).size())) {
    const TextSet& names = run.timeline.names;
    for (std::uint32_t i = 0; i < names.size(); ++i) {
      without_.push_back(number_of_name(names[i], IterationNumbers::without));
      with_.push_back(number_of_name(names[i], IterationNumbers::with));
    }
    numbered_ = without_ != with_;
  }

  [[nodiscard]] Features read(const SlicesByNpu::Npu& npu) const {
    Features out{.nodes = npu.slices.size()};
    std::map<std::pair<NodeLane, NodeType>, std::vector<std::int64_t>> durations;
    std::map<NodeType, std::vector<std::int64_t>> sizes;
    std::vector<std::uint64_t> calls;
    for (const std::uint32_t i : npu.slices) {
      const Slice& s = run_.timeline.slices[i];
      const NodeClass c = class_of(s);
      const std::pair key(lane_of_slice(s), c.type);
      Features::InLane& lane = out.lanes[key];
      ++lane.nodes;
      if (!s.open) {
        lane.work_ps.add(s.end_ps - s.begin_ps);
        durations[key].push_back((s.end_ps - s.begin_ps) / ps_per_ns);
      }
      if (c.bytes >= 0) sizes[c.type].push_back(c.bytes);
      if (c.communicates()) calls.push_back(call_number(c));
      add_class(c, s.name, out);
    }
    for (auto& [key, values] : durations) out.lanes[key].durations_ns = Distribution(std::move(values));
    for (auto& [type, values] : sizes) out.sizes[type] = Distribution(std::move(values));
    out.calls = Autocorrelation(calls);
    return out;
  }

 private:
  [[nodiscard]] NodeClass class_of(const Slice& s) const {
    NodeClass c{.type = type_of(s.lane), .on_cpu = s.lane == Lane::cpu, .bytes = s.bytes};
    if (s.call < run_.calls.size()) {
      c.op = static_cast<std::int64_t>(run_.calls[s.call].op);
      c.bytes = run_.calls[s.call].size_bytes;
    }
    if (s.peer >= 0 && npus_ > 0) c.peer = (s.peer - std::int64_t{s.rank} + npus_) % npus_;
    return c;
  }

  // Returns one number for each combination of type, collective and size.
  static std::uint64_t call_number(const NodeClass& c) {
    return (static_cast<std::uint64_t>(c.bytes) * 16 + static_cast<std::uint64_t>(c.op + 1)) * 8 +
           static_cast<std::uint64_t>(c.type);
  }

  void add_class(NodeClass c, std::uint32_t name, Features& to) const {
    if (!c.communicates()) c.name = without_[name];
    ++to.classes[c];
    if (!numbered_) return;
    if (!c.communicates()) c.name = with_[name];
    ++to.numbered_classes[c];
  }

  const Run& run_;
  std::int64_t npus_;
  std::vector<std::uint64_t> without_, with_;  // by name
  bool numbered_ = false;
};

Features features_of_slices(const Run& run) {
  Features all;
  const SliceReader reader(run);
  const SlicesByNpu slices(run);
  for (const SlicesByNpu::Npu& npu : slices.npus())
    all.add(reader.read(npu), static_cast<std::uint64_t>(npu.stands_for));
  return all;
}

RunOutline outline_of(const Run& run) {
  RunOutline out{.span_ps = run.total_ps};
  if (run.status == RunStatus::deadlock || run.status == RunStatus::stopped)
    out.failure = "its status is " + std::string(name(run.status));
  const std::vector<NpuParts> parts = parts_of(run);
  double waiting = 0;
  for (const NpuParts& p : parts) {
    out.exposed_ps += static_cast<double>(p[Part::exposed]) / static_cast<double>(parts.size());
    waiting += static_cast<double>(p[Part::waiting]) / static_cast<double>(parts.size());
  }
  if (!parts.empty()) out.waiting_ps = waiting;
  out.path = path_shares(run);
  return out;
}

std::vector<SentBytes> sent_in(const Run& run) {
  std::vector<SentBytes> list;
  for (const Run::Traffic& t : run.matrix) list.push_back({t.src, t.dst, t.bytes});
  return list;
}

}  // namespace

Fidelity compare_run_statistics(const Run& a, const Run& b) {
  Fidelity out{.of_runs = true, .ranks_a = npus_of(a).size(), .ranks_b = npus_of(b).size()};
  out.set = compare_features(features_of_slices(a), features_of_slices(b));
  out.simulated.push_back({.network = "", .a = outline_of(a), .b = outline_of(b)});
  for (const auto& [which, run] : {std::pair("A", &out.simulated[0].a), std::pair("B", &out.simulated[0].b)}) {
    if (!run->complete()) out.notes.push_back(std::string(which) + " did not run to its end: " + run->failure);
  }
  if (a.timeline.slices.empty() || b.timeline.slices.empty())
    out.notes.emplace_back("durations, names and sizes are not compared: a run has no slices");
  if (!a.matrix.empty() && !b.matrix.empty() && out.ranks_a == out.ranks_b)
    out.traffic.push_back(compare_traffic(sent_in(a), sent_in(b)));
  return out;
}

}  // namespace convert
