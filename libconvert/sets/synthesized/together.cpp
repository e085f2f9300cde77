// SPDX-License-Identifier: MIT
#include "sets/synthesized/together.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>

#include "config/groups.h"
#include "core/collective.h"
#include "core/units.h"
#include "core/world_size.h"
#include "passes/merge/merge.h"
#include "passes/verify/verify.h"
#include "sets/derived/merge_algorithms.h"
#include "sets/synthesized/group_network.h"
#include "sets/synthesized/library.h"
#include "synthesis/bounds/report.h"
#include "synthesis/together/common_times.h"
#include "util/json_writer.h"
#include "util/log.h"

namespace convert {
namespace {

std::string meta_of(const JointAlgorithms& made, std::size_t c) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("producer", "et-generate").member("synthesis", made.summary());
  json.member("method", made.result.method).member("collective", c).member("collectives", made.problem.size());
  json.key("together_us").raw(format_exact(made.result.total, ps_per_us));
  json.key("bound_us").raw(format_exact(made.result.bounds.lower, ps_per_us)).end_object();
  return text;
}

// Returns the usable links.
WireGraph links_of(const SynthesisProblem& p) {
  WireGraph out{.npus = p.wires.npus, .switches = p.wires.switches};
  for (const LinkGraph::Link& l : p.graph.links)
    out.wires.push_back({l.from, l.to, static_cast<double>(l.bandwidth), l.latency_ps});
  return out;
}

std::string name_of(const SynthesisProblem& p) { return std::string(name(p.collective)) + "_synthesized"; }

// Idle links and unused copies at relays are no defects.
CheckedSchedule checked(const JointAlgorithms& made, std::size_t c, Schedule schedule, Diagnostics& findings) {
  schedule.name = name_of(made.problem.named[c]);
  schedule.meta = meta_of(made, c);
  CheckedSchedule out = check_and_repair(std::move(schedule), {}, findings);
  if (!out.summary.empty()) log_info(out.summary);
  return out;
}
const Diagnostic* first_error(const Diagnostics& findings) {
  const auto at = std::ranges::find(findings.all(), Severity::error, &Diagnostic::severity);
  return at == findings.all().end() ? nullptr : &*at;
}

// Numbers the messages of all collectives on each link in the order of their times.
class CommonTurns {
 public:
  explicit CommonTurns(const JointAlgorithms& made) : made_(made) {
    const std::size_t links = made.problem.graph().links.size();
    turns_.resize(made.problem.size(), std::vector<std::vector<std::int64_t>>(links));
    struct Use {
      Picoseconds start;
      std::size_t collective;
    };
    std::vector<std::vector<Use>> uses(links);
    for (std::size_t c = 0; c < made.result.made.size(); ++c) {
      const TimedMoves& m = made.result.made[c];
      for (std::size_t h = 0; h < m.starts.size(); ++h) uses[m.moves.links[h]].push_back({m.starts[h], c});
    }
    for (std::size_t l = 0; l < links; ++l) {
      std::ranges::stable_sort(uses[l], {}, &Use::start);
      for (std::size_t k = 0; k < uses[l].size(); ++k)
        turns_[uses[l][k].collective][l].push_back(static_cast<std::int64_t>(k));
    }
  }

  // Converts the sequence numbers of an algorithm to numbers among the messages of all collectives, and its devices
  // to devices of the network.
  void number(std::size_t c, Algorithm& algorithm) const {
    const std::vector<Device>& device = made_.problem.device[c];
    const LinkGraph& graph = made_.problem.graph();
    std::map<std::pair<Device, Device>, std::uint32_t> link;
    for (std::uint32_t l = 0; l < graph.links.size(); ++l) link[{graph.links[l].from, graph.links[l].to}] = l;
    for (std::int32_t rank = 0; rank < algorithm.ranks(); ++rank) {
      const Gpu& gpu = algorithm.gpus[static_cast<std::size_t>(rank)];
      for (const Threadblock& tb : algorithm.threadblocks(gpu)) {
        for (const Step& step : algorithm.steps_of(tb)) {
          if (step.type == StepType::nop || !sends(step.type)) continue;
          const Range& way = algorithm.transfers[step.transfer].hops;
          Device from = device[static_cast<std::size_t>(rank)];
          for (std::uint32_t h = way.begin; h < way.begin + way.count; ++h) {
            TransferHop& hop = algorithm.hops[h];
            hop.to = device[hop.to];
            hop.turn = turns_[c][link.at({from, hop.to})].at(static_cast<std::size_t>(hop.turn));
            from = hop.to;
          }
        }
      }
    }
  }

 private:
  const JointAlgorithms& made_;
  std::vector<std::vector<std::vector<std::int64_t>>> turns_;  // by collective, link, and own sequence number
};

}  // namespace

std::string JointAlgorithms::summary() const {
  std::string text = bounds + "; " + format_time(result.total) + " found";
  if (result.bounds.lower > 0) {
    std::array<char, 32> ratio{};
    (void)std::snprintf(ratio.data(), ratio.size(), "%.3f",
                        static_cast<double>(result.total) / static_cast<double>(result.bounds.lower));
    text += std::string(", ") + ratio.data() + " of the bound";
  }
  return text + ", " + result.method;
}

JointAlgorithms make_together(std::vector<SynthesisProblem> problems, const SynthesisChoice& choice) {
  std::vector<std::vector<Device>> order;
  for (const SynthesisProblem& p : problems)
    order.push_back(network_of_group(links_of(p), p.participants, true, p.source).device);
  JointAlgorithms out{.problem = make_joint_problem(std::move(problems), order), .result = {}, .bounds = {}};
  out.result = synthesize_together(out.problem, choice);
  out.bounds = joint_bounds_text(out.problem, out.result.bounds);
  out.bounds.erase(out.bounds.find('\n'));
  return out;
}

CheckedSchedule algorithm_of(const JointAlgorithms& made, std::size_t c) {
  Diagnostics findings;
  CheckedSchedule out = checked(made, c, schedule_of(made.problem.placed[c], made.result.made[c]), findings);
  if (const Diagnostic* const d = first_error(findings))
    throw Error("the synthesized schedule is wrong: " + d->message + " [" + std::string(d->rule) + "]");
  return out;
}

CheckedSchedule relayed_schedule(const JointAlgorithms& made, std::size_t c) {
  const SynthesisProblem& named = made.problem.named[c];
  const std::vector<Device>& device = made.problem.device[c];
  TimedMoves moves = made.result.made[c];
  for (Piece& p : moves.moves.pieces) {
    p.owner = device[p.owner];
    p.other = device[p.other];
  }
  for (Move& m : moves.moves.moves) {
    m.from = device[m.from];
    m.to = device[m.to];
  }
  Diagnostics findings;
  CheckedSchedule out = checked(made, c, schedule_of(named, moves), findings);
  // Partial sums that arrive separately are valid in a schedule, but overwrite each other at a relay.
  if (first_error(findings) == nullptr) verify(make_step_graph(out.algorithm), {.dataflow = true}, findings);
  if (first_error(findings) != nullptr)
    throw input_error({.file = named.source},
                      collective_text(named) +
                          ": NPUs that do not participate forward several partial sums, which a schedule cannot "
                          "distinguish; write traces or MSCCL-IR instead");
  return out;
}

struct JointTraces::State {
  const JointAlgorithms& made;
  MergePlan plan{};
  std::vector<std::string> group{};    // by collective: pg_name; "0": all
  std::vector<MergeChoice> choices{};  // by collective
  std::vector<CommGroup> listed{};

  explicit State(const JointAlgorithms& m) : made(m) {}
  [[nodiscard]] const SynthesisProblem& problem(std::size_t c) const { return made.problem.named[c]; }

  void define_groups() {
    std::map<std::vector<Device>, std::string> known;
    const std::uint32_t npus = made.problem.graph().npus;
    plan.ranks = npus;
    plan.groups["0"];
    for (const SynthesisProblem& p : made.problem.named) {
      if (p.size() == npus) {
        group.emplace_back("0");
        continue;
      }
      const auto [at, added] = known.try_emplace(p.participants, std::to_string(known.size() + 1));
      group.push_back(at->second);
      if (!added) continue;
      plan.groups[at->second].ranks = p.participants;
      listed.push_back({static_cast<std::int64_t>(listed.size() + 1), p.participants});
    }
    std::uint64_t calls = 0;
    for (auto& [name, g] : plan.groups) {
      g.first_call = calls;
      for (std::size_t c = 0; c < group.size(); ++c) calls += group[c] == name && problem(c).size() > 1 ? 1U : 0U;
    }
  }

  void add_algorithms(const std::string& network, Diagnostics& diagnostics) {
    const CommonTurns turns(made);
    plan.network = network;
    plan.turn_scope = plan.first_instance;
    std::int64_t last = 0;
    for (std::size_t c = 0; c < made.problem.size(); ++c) {
      choices.push_back({.algorithm = static_cast<std::uint32_t>(plan.algorithms.size())});
      if (problem(c).size() < 2) continue;
      Algorithm algorithm = algorithm_of(made, c).algorithm;
      turns.number(c, algorithm);
      algorithm.scheduled_for.network = network;
      make_scalable(algorithm);
      plan.algorithms.push_back(merge_algorithm_of(name_of(problem(c)), std::move(algorithm), diagnostics));
      plan.algorithms.back().placed = true;
      plan.tags = std::max(plan.tags, plan.algorithms.back().tags);
    }
    const auto instances = static_cast<std::int64_t>(plan.algorithms.size());
    if (__builtin_mul_overflow(instances, std::int64_t{plan.tags}, &last) || last > INT32_MAX)
      throw input_error({.file = problem(0).source}, std::to_string(instances) + " collectives of " +
                                                         std::to_string(plan.tags) +
                                                         " tags each do not fit into 31 bits");
    plan.choose = [this](const MergeCall& call) { return &choices[call.node]; };
  }

  void add_call(std::size_t c, NodeTable& out) const {
    const SynthesisProblem& p = problem(c);
    out.add_node(c, NodeType::comm_coll, convert::name(p.collective));
    out.add_bool(attr::is_cpu_op, false);
    out.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(p.collective));
    const std::int64_t bytes = states_part(p.collective) ? p.shard_bytes : p.bytes;
    out.add_int(attr::comm_size, Kind::int64_val, bytes);
    if (group[c] != "0") out.add_string(attr::pg_name, group[c]);
    if (has_root(p.collective))
      out.add_int(comes_from_root(p.collective) ? attr::comm_src : attr::comm_dst, Kind::int32_val, p.root);
    out.end_node();
  }
};

JointTraces::JointTraces(const JointAlgorithms& made, const std::string& network, Diagnostics& diagnostics)
    : state_(std::make_unique<State>(made)) {
  state_->define_groups();
  state_->add_algorithms(network, diagnostics);
}
JointTraces::~JointTraces() = default;

Trace JointTraces::trace(Rank rank) const {
  const State& s = *state_;
  Trace workload;
  workload.rank = rank;
  workload.name = name();
  set_world_size(workload.metadata, ranks());
  for (std::size_t c = 0; c < s.group.size(); ++c) {
    const SynthesisProblem& p = s.problem(c);
    if (p.takes_part[rank] != 0 && p.size() > 1) s.add_call(c, workload.nodes);
  }
  if (workload.nodes.nodes.empty()) {  // simulators reject a trace without nodes
    workload.nodes.add_node(s.group.size(), NodeType::comp, "COMP_NODE_idle");
    workload.nodes.add_bool(attr::is_cpu_op, false);
    workload.nodes.end_node();
  }
  Trace out;
  out.rank = rank;
  out.name = workload.name;
  out.metadata = workload.metadata;
  MergedRank merged(s.plan, std::move(workload));
  merged.add_programs(out.metadata);
  constexpr std::size_t all = std::size_t{1} << 40U;
  (void)merged.next(out, all);  // the workload has only collectives
  return out;
}

Rank JointTraces::ranks() const { return state_->plan.ranks; }

std::string JointTraces::name() const {
  const auto& all = state_->made.problem.named;
  const bool same =
      std::ranges::all_of(all, [&](const SynthesisProblem& p) { return p.collective == all.front().collective; });
  return same ? name_of(all.front()) : "together_synthesized";
}

std::optional<std::string> JointTraces::groups() const {
  if (state_->listed.empty()) return std::nullopt;
  return groups_text(state_->listed);
}

}  // namespace convert
