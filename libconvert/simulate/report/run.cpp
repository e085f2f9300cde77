// SPDX-License-Identifier: MIT
#include "simulate/report/run.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>

#include "simulate/report/links.h"
#include "simulate/report/slack.h"
#include "simulate/report/slice_ops.h"
#include "simulate/report/values.h"
#include "simulate/symmetry/symmetry.h"

namespace convert {
namespace {

using CallIndex = std::map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t>;  // by group and number

RunStatus status_of(ReplayStatus status) {
  switch (status) {
    case ReplayStatus::complete: return RunStatus::complete;
    case ReplayStatus::unmatched: return RunStatus::unmatched;
    case ReplayStatus::deadlock: return RunStatus::deadlock;
    case ReplayStatus::stopped: return RunStatus::stopped;
  }
  return RunStatus::complete;
}

void add_npus(const ReplayResult& result, bool by_astra, Run& run) {
  for (std::size_t i = 0; i < result.npus.size(); ++i) {
    const NpuResult& n = result.npus[i];
    Run::Npu npu{.rank = result.rank(i),
                 .finish_ps = n.finish_ps.value_or(-1),
                 .compute_ps = n.compute_ps,
                 .sends = n.sends,
                 .bytes_sent = n.bytes_sent,
                 .nodes = n.nodes,
                 .nodes_done = n.nodes_done};
    if (by_astra && n.finish_ps) npu.astra_exposed_ps = n.astra_exposed_ps;
    if (n.peak_memory) npu.peak_memory_bytes = n.peak_memory->bytes;
    run.npus.push_back(npu);
  }
}

// Returns the root rank of a collective; -1: it has no root.
std::int64_t root_of(const CollectiveCall& call, const ReplayProgram& program) {
  if (!has_root(call.op)) return -1;
  const std::vector<Rank>& ranks = program.groups[call.group].ranks;
  if (ranks.empty()) return call.root;
  return call.root < ranks.size() ? std::int64_t{ranks[call.root]} : -1;
}

void add_classes(const ReplayResult& result, Run& run) {
  for (const NpuResult& n : result.npus) {
    const auto npu = static_cast<Rank>(&n - result.npus.data());
    const Rank like = result.equivalence->ranks.representative(npu);
    if (like != npu) run.classes.push_back({npu, like});
  }
}

// `program`: the program whose plans the result refers to; nullptr: unknown.
CallIndex add_calls(const ReplayResult& result, const ReplayProgram* program, Run& run) {
  CallIndex index;
  for (const CollectiveResult& c : result.collectives) {
    const CollectiveKind& kind = result.kinds.at(c.plan);
    index.emplace(std::pair(c.group, c.number), static_cast<std::uint32_t>(run.calls.size()));
    run.calls.push_back({.op = kind.op,
                         .group = c.group,
                         .number = c.number,
                         .npus = kind.npus,
                         .size_bytes = kind.size_bytes,
                         .algorithm = kind.algorithm.empty() ? no_index : run.texts.add(kind.algorithm),
                         .source = kind.source.empty() ? no_index : run.texts.add(kind.source),
                         .error_pct = kind.error_pct.value_or(-1),
                         .root = program == nullptr ? -1 : root_of(program->plans[c.plan].call, *program),
                         .bound_ps = kind.bound_ps.value_or(-1),
                         .begin_ps = c.begin_ps,
                         .last_begin_ps = c.last_begin_ps,
                         .end_ps = c.end_ps.value_or(-1),
                         .first_npu = c.first_npu,
                         .first_node = c.first_node});
  }
  return index;
}

// Finds the collective of an NPU that corresponds to its representative's collective, in an equivalent group.
class CallImages {
 public:
  CallImages(const Equivalence& equivalence, const ReplayProgram& program, const CallIndex& index, const Run& run)
      : images_(equivalence.group_images), program_(program), index_(index), run_(run) {
    for (std::uint32_t g = 0; g < program_.groups.size(); ++g) group_of_.emplace(program_.groups[g].id, g);
  }
  [[nodiscard]] std::uint32_t of(std::uint32_t call, Rank npu) {
    const Run::Call& c = run_.calls[call];
    const std::uint32_t group = group_of_.at(c.group);
    if (images_[group].empty()) return call;
    std::map<Rank, std::int64_t>& ids = ids_[group];
    if (ids.empty()) {
      for (const std::uint32_t image : images_[group]) {
        for (const auto& [member, place] : program_.groups[image].places)
          ids.emplace(member, program_.groups[image].id);
      }
    }
    return index_.at({ids.at(npu), c.number});
  }

 private:
  const std::vector<std::vector<std::uint32_t>>& images_;
  const ReplayProgram& program_;
  const CallIndex& index_;
  const Run& run_;
  std::map<std::int64_t, std::uint32_t> group_of_;             // by id
  std::map<std::uint32_t, std::map<Rank, std::int64_t>> ids_;  // by group and NPU: id of the image that contains it
};

void add_call_npus(const ReplayResult& result, const ReplayProgram* program, const CallIndex& index, Run& run) {
  const auto add = [&](const Slice& s, std::uint32_t call, Rank npu) {
    run.call_npus.push_back({call, npu, s.begin_ps, s.open ? -1 : s.end_ps});
  };
  for (const Slice& s : run.timeline.slices) {
    if (s.call != no_index) add(s, s.call, s.rank);
  }
  if (result.equivalence != nullptr && !run.call_npus.empty()) {
    std::map<Rank, std::vector<Rank>> alike;
    for (const Run::Class& c : run.classes) alike[c.like].push_back(c.npu);
    CallImages images(*result.equivalence, *program, index, run);
    for (const Slice& s : run.timeline.slices) {
      const auto others = s.call == no_index ? alike.end() : alike.find(s.rank);
      if (others == alike.end()) continue;
      for (const Rank npu : others->second) add(s, images.of(s.call, npu), npu);
    }
  }
  std::ranges::sort(run.call_npus, {}, [](const Run::CallNpu& c) { return std::tuple(c.call, c.npu, c.begin_ps); });
}

Run::StepKind kind_of(Explanation::What what) {
  using What = Explanation::What;
  switch (what) {
    case What::compute: return Run::StepKind::compute;
    case What::cpu: return Run::StepKind::cpu;
    case What::memory: return Run::StepKind::memory;
    case What::replayed: return Run::StepKind::recorded;
    case What::message: return Run::StepKind::message;
    case What::receive: return Run::StepKind::receive;
    case What::request: return Run::StepKind::request;
    case What::requested: return Run::StepKind::requested;
    case What::collective: return Run::StepKind::collective;
    case What::delay: return Run::StepKind::delay;
  }
  return Run::StepKind::compute;
}

void add_path(const Explanation& explanation, const CallIndex& calls, Run& run) {
  for (const Explanation::Step& s : std::views::reverse(explanation.steps)) {
    Run::Step step{.kind = kind_of(s.what),
                   .npu = s.node.rank,
                   .node = s.node.node,
                   .name = s.name.empty() ? no_index : run.timeline.names.add(s.name),
                   .begin_ps = s.begin,
                   .time_ps = s.time,
                   .then = run.texts.add(describe_then(s))};
    if (step.kind == Run::StepKind::message || step.kind == Run::StepKind::request) {
      step.bytes = s.bytes;
      step.peer = static_cast<std::int32_t>(s.to);
    }
    if (step.kind == Run::StepKind::collective) {
      const auto call = calls.find({s.group, s.number});
      if (call != calls.end()) step.call = call->second;
    }
    run.path.push_back(step);
  }
}

// Returns the latency of the links from one NPU to another along the dimensions of a product.
double latency_between(const NetworkConfig& network, Rank src, Rank dst) {
  double latency_ns = 0;
  for (const NetworkDim& d : network.dims) {
    const auto n = static_cast<std::uint32_t>(d.npus);
    if (src % n != dst % n) latency_ns += hops(d.topology, src % n, dst % n, n) * d.latency_ns;
    src /= n;
    dst /= n;
  }
  return latency_ns;
}

void add_dims(const NetworkConfig& network, Run& run) {
  for (const NetworkDim& d : network.dims) {
    const std::string_view word = with(d.topology, [](auto t) { return t.word; });
    run.dims.push_back({run.texts.add(word), static_cast<std::uint32_t>(d.npus), d.bytes_per_ns, d.latency_ns});
  }
  for (const TreeLevel& l : network.levels)
    run.dims.push_back({run.texts.add("tree"), static_cast<std::uint32_t>(l.fanout), l.bytes_per_ns, l.latency_ns});
}

void add_deps(const SliceOps& ops, Run& run) {
  for (std::uint32_t from = 0; from < run.timeline.slices.size(); ++from)
    ops.for_each_child(from, [&](std::uint32_t to) { run.deps.push_back({from, to}); });
}

void add_links(ReplayResult& result, const ReplayProgram& program, Run& run) {
  const NetworkConfig& network = program.network;
  run.network_links = count_wires(network, program.options.network.failed);
  const LinkFacts facts(network);
  for (const WireUse& w : result.wires) {
    const LinkFacts::Facts f = facts.of(w.from_device, w.to_device);
    run.links.push_back({.from = run.texts.add(w.from),
                         .to = run.texts.add(w.to),
                         .dim = f.dim,
                         .gb_per_s = f.bytes_per_ns,
                         .latency_ns = f.latency_ns,
                         .bytes = w.bytes,
                         .messages = w.messages,
                         .busy_ps = w.busy_ps,
                         .peak_queue = w.peak_queue});
  }
  run.link_bin_ps = result.wire_bin_ps;
  run.link_bins_each = result.wire_bins_each;
  run.link_bins = std::move(result.wire_bins);
}

void add_waits(const WaitReport& report, Run& run) {
  std::map<std::pair<Rank, NodeId>, const Slice*> open;
  for (const Slice& s : run.timeline.slices) {
    if (s.open) open.emplace(std::pair(s.rank, s.node), &s);
  }
  for (const WaitingNode& w : report.waiting) {
    const auto slice = open.find({w.node.rank, w.node.node});
    const bool begun = slice != open.end();
    run.waits.push_back({.npu = w.node.rank,
                         .node = w.node.node,
                         .name = begun ? slice->second->name : no_index,
                         .since_ps = begun ? slice->second->begin_ps : -1,
                         .text = run.texts.add(describe_wait(w))});
  }
  run.hints = report.hints;
}

// With MemoryTracking::trace.
void add_memory(const ReplayResult& result, const ReplayProgram& program, Run& run) {
  for (Rank r = 0; r < result.spans.size(); ++r) {
    const TensorTable& tensors = *program.ranks[r].code->tensors;
    for (const auto& [time, bytes] : memory_curve(tensors, tensor_lives(tensors, result.spans[r])))
      run.memory.push_back({r, time, bytes});
  }
  if (result.spans.empty() || !result.peak_tensors) return;
  for (const auto& [tensor, bytes] : result.peak_tensors->largest)
    run.alive.push_back({result.peak_tensors->npu, run.texts.add(tensor), bytes});
}

void add_limits(const ReplayResult& result, const NetworkConfig& network, Run& run) {
  if (result.worst_port) run.limits.push_back(port_text(*result.worst_port) + "; use --model links to queue them");
  if (result.model == NetworkModel::unaware && !result.ideal_network && !result.recorded_communication) {
    const bool switched =
        std::ranges::any_of(network.dims, [](const NetworkDim& d) { return has_switch(d.topology); });
    run.limits.emplace_back(switched ? "messages never wait for each other, not even at a switch (network unaware)"
                                     : "messages never wait for each other (network unaware)");
  }
  for (const AstraGap gap : result.gaps.list())
    run.limits.emplace_back(std::string(astra_gap_text) + std::string(cause(gap)));
  run.limits.insert(run.limits.end(), result.no_time.begin(), result.no_time.end());
  run.limits.insert(run.limits.end(), result.notes.begin(), result.notes.end());
  for (const std::string& note : network.notes) run.limits.push_back(network.source + ": " + note);
}

}  // namespace

void want_run(ReplayOptions& options) {
  if (!options.timeline && !options.explain) options.most_npus_alone = most_recorded_alone;
  options.timeline = true;
  if (options.memory == MemoryTracking::peaks) options.memory = MemoryTracking::trace;
  if (!options.explain) options.explain = ExplainTarget{.end = true};
  if (options.recorded != Recorded::nothing) return;
  options.traffic = true;
  options.network.count_wires = options.network.bin_wires = options.network.model != NetworkModel::unaware;
}

Run make_run(ReplayResult& result, const ReplayProgram* program) {
  Run run;
  run.settings.push_back({"model", std::string(model_name(result))});
  if (result.spread) run.settings.push_back({"equal-cost routes", describe(*result.spread)});
  if (result.forwarding) run.settings.push_back({"forwarding", std::string(describe(*result.forwarding))});
  run.settings.push_back({"issue", std::string(name(result.issue))});
  run.status = status_of(result.status);
  run.total_ps = result.total_ps;
  run.reached_ps = std::max(result.reached_ps, result.total_ps);
  run.recorded = program == nullptr;
  run.timeline = std::move(result.timeline);
  add_npus(result, program != nullptr && program->rules.all_but_computation_is_exposed(), run);
  if (result.equivalence != nullptr) add_classes(result, run);
  const CallIndex calls = add_calls(result, program, run);
  add_call_npus(result, program, calls, run);
  if (result.explanation && !result.explanation->target) add_path(*result.explanation, calls, run);
  for (const PairTraffic& t : result.traffic) {
    const double latency_ns = program == nullptr ? 0 : latency_between(program->network, t.src, t.dst);
    run.matrix.push_back({t.src, t.dst, t.bytes, t.messages, latency_ns});
  }
  add_waits(result.waits, run);
  if (program == nullptr) return run;
  const SliceOps ops(*program, run.timeline.slices);
  run.slack_ps = find_slack(*program, run, ops);
  add_deps(ops, run);
  add_dims(program->network, run);
  add_links(result, *program, run);
  add_memory(result, *program, run);
  add_limits(result, program->network, run);
  return run;
}

}  // namespace convert
