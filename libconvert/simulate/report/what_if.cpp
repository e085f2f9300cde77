// SPDX-License-Identifier: MIT
#include "simulate/report/what_if.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/system.h"
#include "core/diagnostic.h"
#include "core/run/stragglers.h"
#include "machine/chosen.h"
#include "simulate/engine/replay.h"
#include "simulate/system/plan.h"

namespace convert {
namespace {

constexpr double free_bytes_per_ns = 1e18;
// A replay with an algorithm of more messages than this, and than the run, would take too much time and memory.
constexpr double most_messages = 2'000'000;

// Returns the computing time of each NPU of the run: the union of its computing slices.
std::vector<NpuComputing> computing_of(const Run& run, std::size_t npus) {
  std::vector<std::vector<std::pair<Picoseconds, Picoseconds>>> times(npus);
  for (const Slice& s : run.timeline.slices) {
    if (s.lane == Lane::compute && s.rank < npus) times[s.rank].emplace_back(s.begin_ps, s.end_ps);
  }
  std::vector<NpuComputing> computing;
  for (auto& of : times) {
    std::ranges::sort(of);
    Picoseconds sum = 0;
    Picoseconds until = 0;
    for (const auto& [begin, end] : of) {
      if (end <= until) continue;
      sum += end - std::max(begin, until);
      until = end;
    }
    computing.push_back({static_cast<Rank>(computing.size()), sum});
  }
  for (const Run::Class& like : run.classes) {
    if (like.npu < npus && like.like < npus) computing[like.npu].time_ps = computing[like.like].time_ps;
  }
  return computing;
}

class Changes {
 public:
  Changes(const ReplayProgram& program, Run& run) : program_(program), run_(run) {}

  void try_all() {
    // The plans of calls on a machine have the times of its own network and library.
    const bool other_networks = program_.options.network.model != NetworkModel::fair;
    stragglers();
    if (other_networks) networks();
    if (!other_networks) machines();
    no_compute();
    free_calls();
    for (const Collective op : listed_collectives) algorithms(op);
    if (other_networks) balanced();
    std::ranges::stable_sort(run_.whatif, [](const Run::WhatIf& a, const Run::WhatIf& b) {
      return std::pair(a.total_ps < 0, a.total_ps) < std::pair(b.total_ps < 0, b.total_ps);
    });
  }

 private:
  void networks() {
    no_network();
    for (std::size_t d = 0; d < program_.network.dims.size(); ++d) bandwidth(d);
    if (!program_.network.is_product() && !program_.network.ideal) bandwidth_of_all();
    latency();
  }

  // Returns the call of a plan on its machine.
  [[nodiscard]] MachineCall on_machine(const ReplayProgram& program, const CollectivePlan& plan) const {
    const std::uint32_t ranks = program.groups[plan.call.group].size(program.model);
    return {plan.call.op, ranks, plan.on_machine->nodes,
            static_cast<double>(larger_buffer(program.model, plan.call, ranks))};
  }
  [[nodiscard]] bool has_call(const std::function<bool(const CallOnMachine&)>& is) const {
    return std::ranges::any_of(program_.plans,
                               [&](const CollectivePlan& plan) { return plan.on_machine && is(*plan.on_machine); });
  }
  void machines() {
    const auto several_nodes = [](const CallOnMachine& call) { return call.nodes > 1; };
    const auto nvls = [](const CallOnMachine& call) { return call.cost.algorithm.method == CallMethod::nvls; };
    if (has_call(several_nodes))
      machine([](Machine& m) { m.fabric->adapters *= 2; }, Run::Change::adapters, "nodes have twice the adapters");
    if (has_call(nvls))
      machine([](Machine& m) { m.library.nvls.reset(); }, Run::Change::no_nvls, "the library does not use NVLS");
  }
  // Replays with a changed machine. Measured times keep their correction, see ChosenMachine::changed_cost(), so no
  // option of et-replay makes the same change.
  void machine(const std::function<void(Machine&)>& change, Run::Change kind, const std::string& what) {
    const ChosenMachine& now = *program_.network.machine;
    Machine machine = now.machine();
    change(machine);
    ReplayProgram changed = copy();
    for (CollectivePlan& plan : changed.plans) {
      if (!plan.on_machine) continue;
      const MachineCall call = on_machine(program_, plan);
      plan.on_machine = call_on_machine(machine, call, now.changed_cost(call, machine));
    }
    changed.network.machine = std::make_shared<const ChosenMachine>(std::move(machine), now.nodes(), false, true);
    run(changed, {.change = kind}, what, "");
  }

  // Returns the program with options that request only times.
  [[nodiscard]] ReplayProgram copy() const {
    ReplayProgram changed = program_;
    ReplayOptions& o = changed.options;
    o.timeline = o.traffic = false;
    o.explain.reset();
    o.memory = MemoryTracking::off;
    o.network.count_wires = o.network.bin_wires = false;
    return changed;
  }
  // For each call of a rank, whether it is selected.
  using Calls = std::vector<bool>;
  // Applies `change` to the nodes of the ranks for which which(rank) returns calls, which are also passed to
  // `change`. Ranks with the same code and the same calls share the new code.
  template <class Which, class Change>
  void edit(ReplayProgram& changed, const Which& which, const Change& change) const {
    std::map<std::pair<const RankCode*, Calls>, std::shared_ptr<const RankCode>> edited;
    for (Rank r = 0; r < changed.ranks.size(); ++r) {
      const std::optional<Calls> calls = which(r);
      if (!calls) continue;
      std::shared_ptr<const RankCode>& code = edited[{changed.ranks[r].code.get(), *calls}];
      if (code == nullptr) {
        auto copy = std::make_shared<RankCode>(*changed.ranks[r].code);
        for (Op& op : copy->ops) change(op, *calls);
        code = std::move(copy);
      }
      changed.ranks[r].code = code;
    }
  }
  // Returns by call whether it has an operation and one of the groups; nothing if no call has.
  [[nodiscard]] std::optional<Calls> calls_of(Rank r, Collective op, const std::vector<bool>& of_groups) const {
    Calls calls;
    for (const std::uint32_t plan : program_.ranks[r].plans) {
      const CollectiveCall& call = program_.plans[plan].call;
      calls.push_back(call.op == op && of_groups[call.group]);
    }
    return std::ranges::find(calls, true) == calls.end() ? std::nullopt : std::optional(std::move(calls));
  }
  void run(const ReplayProgram& changed, Run::WhatIf w, const std::string& what, const std::string& setting) {
    if (run_.whatif.size() >= most_what_ifs) return;
    const ReplayResult result = replay(changed);
    if (result.status == ReplayStatus::complete || result.status == ReplayStatus::unmatched)
      w.total_ps = result.total_ps;
    w.what = run_.texts.add(what);
    w.setting = run_.texts.add(setting);
    run_.whatif.push_back(w);
  }

  // Makes the NPUs of a group, which compute equally long, compute like the median NPU.
  void stragglers() {
    constexpr std::size_t most = 4;
    const Stragglers slow = find_stragglers(computing_of(run_, program_.ranks.size()));
    for (std::size_t g = 0; g < std::min(most, slow.groups.size()); ++g) {
      const StragglerGroup& group = slow.groups[g];
      const double factor = static_cast<double>(slow.median_ps) / static_cast<double>(group.time_ps);
      ReplayProgram changed = copy();
      edit(
          changed,
          [&](Rank rank) {
            return std::ranges::binary_search(group.npus, rank) ? std::optional(Calls()) : std::nullopt;
          },
          [factor](Op& op, const Calls&) {
            if (op.type == OpType::timed && op.is_compute)
              op.value = static_cast<std::int64_t>(std::llround(static_cast<double>(op.value) * factor));
          });
      std::map<Rank, double> factors = program_.options.slow;
      for (const Rank r : group.npus) factors.try_emplace(r, 1.0).first->second *= factor;
      std::string setting;
      for (const auto& [r, by] : factors) {
        char text[40];
        std::snprintf(text, sizeof text, "%u=%.6gx", r, by);
        setting += (setting.empty() ? "--slow " : ",") + std::string(text);
      }
      run(changed, {.change = Run::Change::like_median, .subject = static_cast<std::int32_t>(group.npus.front())},
          npus_text(group.npus) + (group.npus.size() == 1 ? " computes" : " compute") + " like the median NPU",
          setting);
    }
  }

  void bandwidth(std::size_t d) {
    ReplayProgram changed = copy();
    changed.network.dims[d].bytes_per_ns *= 2;
    if (changed.model.balanced) {  // chunks are balanced by bandwidth
      changed.model.bytes_per_ns_by_dim[d] *= 2;
      if (!plan_again(changed)) return;
    }
    const bool one = program_.network.dims.size() == 1;
    run(changed, {.change = Run::Change::bandwidth, .subject = static_cast<std::int32_t>(d)},
        one ? "links have twice the bandwidth" : "dimension " + std::to_string(d + 1) + " has twice the bandwidth",
        one ? "--set bandwidth=x2" : "--set bandwidth." + std::to_string(d) + "=x2");
  }

  void bandwidth_of_all() {
    ReplayProgram changed = copy();
    for (TreeLevel& l : changed.network.levels) l.bytes_per_ns *= 2;
    for (GraphWire& w : changed.network.graph.wires) w.bytes_per_ns *= 2;
    run(changed, {.change = Run::Change::bandwidth}, "links have twice the bandwidth", "--set bandwidth=x2");
  }

  void latency() {
    if (program_.network.ideal) return;
    ReplayProgram changed = copy();
    remove_latency(changed.network);
    run(changed, {.change = Run::Change::latency}, "links have no latency", "--set latency=0ns");
  }

  // An operation in groups of one size whose first members make the same calls of it.
  struct FreeCalls {
    Collective op = Collective::all_reduce;
    std::vector<std::uint32_t> groups{};  // in program_.groups, ascending
    double npu_ps = 0;                    // sum over the calls of NPUs × time after the last call
  };
  // Returns the sizes of the calls of each operation by the first member of each group, in call order.
  [[nodiscard]] std::map<std::pair<Collective, std::uint32_t>, std::vector<std::int64_t>> sizes_of_calls() const {
    std::map<std::pair<Collective, std::uint32_t>, std::vector<std::int64_t>> sizes;
    for (Rank r = 0; r < program_.ranks.size(); ++r) {
      for (const std::uint32_t plan : program_.ranks[r].plans) {
        const CollectiveCall& call = program_.plans[plan].call;
        if (program_.groups[call.group].rank(0) == r) sizes[{call.op, call.group}].push_back(call.bytes);
      }
    }
    return sizes;
  }
  // Returns the operations that run, by equal groups, the largest contributors first.
  [[nodiscard]] std::vector<FreeCalls> contributors() const {
    std::map<std::pair<Collective, std::int64_t>, double> times;
    for (const Run::Call& c : run_.calls) {
      if (c.end_ps >= c.last_begin_ps)
        times[{c.op, c.group}] += static_cast<double>(c.npus) * static_cast<double>(c.end_ps - c.last_begin_ps);
    }
    std::map<std::tuple<Collective, std::uint32_t, std::vector<std::int64_t>>, std::size_t> known;
    std::vector<FreeCalls> out;
    for (const auto& [call, sizes] : sizes_of_calls()) {
      const SystemGroup& group = program_.groups[call.second];
      const auto [at, is_new] = known.try_emplace({call.first, group.size(program_.model), sizes}, out.size());
      if (is_new) out.push_back({.op = call.first});
      FreeCalls& calls = out[at->second];
      calls.groups.push_back(call.second);
      const auto time = times.find({call.first, group.id});
      if (time != times.end()) calls.npu_ps += time->second;
    }
    std::ranges::stable_sort(out, std::ranges::greater(), &FreeCalls::npu_ps);
    return out;
  }

  void free_calls() {
    constexpr std::size_t most = 4;
    std::vector<FreeCalls> contributions = contributors();
    if (contributions.size() > most) contributions.resize(most);
    for (const FreeCalls& calls : contributions) {
      std::vector<bool> of_groups(program_.groups.size());
      for (const std::uint32_t group : calls.groups) of_groups[group] = true;
      ReplayProgram changed = copy();
      edit(
          changed, [&](Rank r) { return calls_of(r, calls.op, of_groups); },
          [](Op& node, const Calls& edited) {
            if (node.type != OpType::collective || !edited[node.channel]) return;
            node.type = OpType::timed;
            node.value = 0;
            node.channel = 0;
            node.end = NodeEnd(node.type, node.slot, node.is_compute, node.end.is_leaf(), node.end.to_child(),
                               node.end.has_pair());
          });
      const SystemGroup& first = program_.groups[calls.groups.front()];
      const std::size_t others = calls.groups.size() - 1;
      std::string of = first.id == 0 && others == 0 ? "" : " of group " + std::to_string(first.id);
      if (others > 0) of += " and " + std::to_string(others) + (others == 1 ? " equal group" : " equal groups");
      run(changed,
          {.change = Run::Change::free_call, .subject = static_cast<std::int32_t>(calls.op), .group = first.id},
          std::string(name(calls.op)) + of + " takes no time", free_setting(calls));
    }
  }
  // Returns the options that free the calls; empty if they would name too many groups for a reader.
  [[nodiscard]] std::string free_setting(const FreeCalls& calls) const {
    constexpr std::size_t most_groups = 8;
    const std::string option = "--free " + std::string(name(calls.op));
    std::set<std::uint32_t> callers;
    for (const CollectivePlan& plan : program_.plans) {
      if (plan.call.op == calls.op) callers.insert(plan.call.group);
    }
    if (callers.size() == calls.groups.size()) return option;
    std::string setting;
    if (calls.groups.size() > most_groups) return setting;
    for (const std::uint32_t group : calls.groups)
      setting += (setting.empty() ? "" : " ") + option + ":pg=" + std::to_string(program_.groups[group].id);
    return setting;
  }

  // Plans the collectives with native algorithms again for changed.model; returns false if one cannot run.
  static bool plan_again(ReplayProgram& changed) {
    try {
      for (CollectivePlan& plan : changed.plans) {
        if (plan.call.custom == 0)
          plan = plan_collective(changed.model, changed.groups[plan.call.group], plan.call);
      }
    } catch (const Error&) {
      return false;
    }
    return true;
  }

  // Runs an operation by each native algorithm that it does not use yet, on all dimensions; does nothing if some of
  // its calls have a custom algorithm.
  void algorithms(Collective op) {
    std::set<NativeAlgorithm> used;
    for (const CollectivePlan& plan : program_.plans) {
      if (plan.call.op != op) continue;
      if (plan.call.custom != 0) return;
      for (const auto& order : plan.orders) {
        for (const PhasePlan& phase : order) used.insert(phase.algorithm);
      }
    }
    if (used.empty()) return;
    for (const NativeAlgorithm by : {NativeAlgorithm::ring, NativeAlgorithm::direct,
                                     NativeAlgorithm::halving_doubling, NativeAlgorithm::double_binary_tree}) {
      const bool is_tree = by == NativeAlgorithm::double_binary_tree;
      if (used == std::set{by} || (is_tree && op != Collective::all_reduce)) continue;
      algorithm(op, by);
    }
  }
  void algorithm(Collective op, NativeAlgorithm by) {
    const std::string native = std::string(native_prefix) + std::string(name(by));
    ReplayProgram changed = copy();
    const std::size_t dims = program_.rules.lists_may_be_short() ? 1 : program_.model.dims.size();
    changed.model.lists.emplace_back(dims, AlgorithmChoice{.algorithm = by});
    for (CollectivePlan& plan : changed.plans) {
      if (plan.call.op == op) plan.call.list = static_cast<std::uint32_t>(changed.model.lists.size());
    }
    if (!plan_again(changed)) return;
    const double messages = messages_of(changed);
    if (messages > most_messages && messages > messages_of(program_)) return;
    run(changed, {.change = Run::Change::algorithm, .subject = static_cast<std::int32_t>(op)},
        std::string(name(op)) + " runs " + native, "--algorithm " + std::string(name(op)) + "=" + native);
  }

  // Returns the number of messages of native algorithms, without whole rings.
  static double messages_of(const ReplayProgram& program) {
    std::vector<double> of_plan;  // per NPU
    for (const CollectivePlan& plan : program.plans) {
      double& messages = of_plan.emplace_back(0);
      if (plan.orders.empty()) continue;
      for (const PhasePlan& phase : plan.phases(0)) messages += static_cast<double>(phase.steps);
      messages *= static_cast<double>(plan.chunks);
    }
    double sum = 0;
    for (const RankProgram& rank : program.ranks) {
      for (const std::uint32_t plan : rank.plans) sum += of_plan[plan];
    }
    return sum;
  }

  void balanced() {
    if (program_.model.balanced || program_.rules.chunks_take_one_order()) return;
    ReplayProgram changed = copy();
    changed.model.balanced = true;
    if (!plan_again(changed)) return;
    const auto has_orders = [](const CollectivePlan& plan) { return !plan.order_of.empty(); };
    if (std::ranges::none_of(changed.plans, has_orders)) return;
    run(changed, {.change = Run::Change::balanced}, "chunks use the dimensions in a balanced order", "--balanced");
  }

  void no_network() {
    if (program_.network.ideal) return;
    ReplayProgram changed = copy();
    remove_latency(changed.network);
    for (NetworkDim& d : changed.network.dims) d.bytes_per_ns = free_bytes_per_ns;
    for (TreeLevel& l : changed.network.levels) l.bytes_per_ns = free_bytes_per_ns;
    for (GraphWire& w : changed.network.graph.wires) w.bytes_per_ns = free_bytes_per_ns;
    run(changed, {.change = Run::Change::no_network}, "the network takes no time",
        "--set bandwidth=x1e9 --set latency=0ns");
  }

  void no_compute() {
    ReplayProgram changed = copy();
    edit(
        changed, [](Rank) { return std::optional(Calls()); },
        [](Op& op, const Calls&) {
          if (op.type == OpType::timed && op.is_compute) op.value = 0;
        });
    run(changed, {.change = Run::Change::no_compute}, "computing takes no time", "--free compute");
  }

  static void remove_latency(NetworkConfig& network) {
    for (NetworkDim& d : network.dims) d.latency_ns = 0;
    for (TreeLevel& l : network.levels) l.latency_ns = 0;
    for (GraphWire& w : network.graph.wires) w.latency_ps = 0;
  }

  const ReplayProgram& program_;
  Run& run_;
};

}  // namespace

std::uint64_t count_events(const Run& run) {
  std::uint64_t events = 0;
  for (const Run::Npu& n : run.npus) events += n.nodes_done;
  for (const Run::Traffic& t : run.matrix) events += t.messages;
  return events;
}

void add_what_ifs(const ReplayProgram& program, Run& run) { Changes(program, run).try_all(); }

}  // namespace convert
