// SPDX-License-Identifier: MIT
#include "simulate/engine/replay.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simulate/astra/checks.h"
#include "simulate/engine/collective_list.h"
#include "simulate/engine/replayer.h"
#include "simulate/explain/causes.h"
#include "simulate/program/link.h"
#include "simulate/rings/whole_rings.h"
#include "simulate/symmetry/expand.h"
#include "simulate/symmetry/order_observer.h"
#include "simulate/symmetry/ordered_causes.h"
#include "simulate/symmetry/rounding.h"
#include "simulate/symmetry/symmetry.h"
#include "simulate/symmetry/worth.h"

namespace convert {
namespace {

// Returns whether nodes or messages were left when there were no further events.
bool is_stuck(const ReplayResult& result) {
  return result.status == ReplayStatus::deadlock || result.status == ReplayStatus::unmatched;
}

// Adds the wait report if the replay is stuck.
template <class Observer, class Recorder>
ReplayOutcome with_waits(ReplayOutcome outcome, const Replayer<Observer, Recorder>& replayer) {
  if (is_stuck(outcome.result)) outcome.result.waits = replayer.waits();
  return outcome;
}
template <class Observer, class Recorder>
ReplayOutcome run(Replayer<Observer, Recorder>& replayer) {
  return with_waits(replayer.run(), replayer);
}

// Runs rings as wholes. Returns nothing if this is not possible, if the results might differ, or if the replay is
// stuck, as the report then needs all messages.
template <class Recorder>
std::optional<ReplayOutcome> run_whole_rings(const LinkedProgram& program) {
  Replayer<NoObserver, Recorder> replayer(program);
  ReplayOutcome outcome = replayer.run();
  if (replayer.order_is_open() || is_stuck(outcome.result)) return std::nullopt;
  return outcome;
}
std::optional<ReplayOutcome> run_whole_rings(const LinkedProgram& program) {
  if (!can_run_whole_rings(program) && !may_run_on_lanes(program)) return std::nullopt;
  return NodeRecorder::is_wanted(program.options) ? run_whole_rings<NodeRecorder>(program)
                                                  : run_whole_rings<NoRecorder>(program);
}

template <class Recorder>
ReplayOutcome run_plain(const LinkedProgram& program) {
  Replayer<NoObserver, Recorder> replayer(program);
  return run(replayer);
}
ReplayOutcome run_plain(LinkedProgram program) {
  program.options.whole_rings = false;
  return NodeRecorder::is_wanted(program.options) ? run_plain<NodeRecorder>(program)
                                                  : run_plain<NoRecorder>(program);
}

// Runs a replay of representatives. Returns nothing, and sets `why`, if its result does not hold for all ranks.
template <class Observer>
std::optional<ReplayOutcome> run_reduced(Replayer<Observer, NodeRecorder>& replayer, const Equivalence& equivalence,
                                         const ReplayProgram& program, std::string& why) {
  ReplayOutcome outcome = replayer.run();
  if (!replayer.observer().symmetric()) {
    why = "the order of simultaneous events may differ from rank to rank, " + replayer.observer().why_not();
    return std::nullopt;
  }
  if (is_stuck(outcome.result)) {
    why = "nodes or messages are left, and each must be reported";
    return std::nullopt;
  }
  if (equivalence.rounded) outcome.result.error_bound_ps = rounding_bound(replayer.program(), outcome.called);
  return expand(std::move(outcome), replayer.observer().first_callers(), equivalence, program);
}

// Does the same with closed phases (see ClosedPhase), as far as their assumptions hold.
std::optional<ReplayOutcome> run_closed(const LinkedProgram& reduced, const Equivalence& equivalence,
                                        const ReplayProgram& program, std::string& why) {
  constexpr int most_tries = 6;
  const std::string why_no_more = why;
  ClosedLimits limits;
  for (int tries = 0; tries <= most_tries; ++tries) {
    if (tries == most_tries) limits.none = true;
    why = why_no_more;
    Replayer<OrderObserver, NodeRecorder> replayer(reduced, reduced, equivalence, limits);
    std::optional<ReplayOutcome> outcome = run_reduced(replayer, equivalence, program, why);
    const ClosedWatch& closed = replayer.observer().closed();
    if (!closed.holds()) {
      limits = closed.limits();
    } else if (outcome || limits.none) {
      return outcome;
    } else {
      limits.none = true;
    }
  }
  return std::nullopt;
}

// Does the same as run_reduced(), and finds the causes of the end. See Causes for the reason of the second run.
std::optional<ReplayOutcome> explain_reduced(const LinkedProgram& reduced, const Equivalence& equivalence,
                                             const ReplayProgram& program, std::string& why) {
  using CauseReplayer = Replayer<OrderedCauses, NodeRecorder>;
  const std::vector<std::uint32_t>* const none = nullptr;
  std::vector<std::uint32_t> chain;
  {
    CauseReplayer first(reduced, reduced, equivalence, none);
    std::optional<ReplayOutcome> outcome = run_reduced(first, equivalence, program, why);
    if (!outcome || outcome->result.status != ReplayStatus::complete) return outcome;
    chain = *first.observer().causes().chain();
  }
  CauseReplayer second(reduced, reduced, equivalence, &std::as_const(chain));
  std::optional<ReplayOutcome> outcome = run_reduced(second, equivalence, program, why);
  const std::vector<Causes::Detail> all =
      unfold(second.observer().causes().details(), program, equivalence, second.system().runs());
  outcome->result.explanation =
      explain({program, second.system(), second.network(), all, std::nullopt, outcome->result.total_ps});
  return outcome;
}

// Does the work of run_representatives() for the symmetry in `search`.
std::optional<ReplayOutcome> run_representatives(const ReplayProgram& program, Search search, bool* prefers_whole,
                                                 std::string& why) {
  why = std::move(search.why);
  if (!search.found) return std::nullopt;
  if (prefers_whole != nullptr && whole_rings_need_less(program, *search.found)) {
    *prefers_whole = true;
    why = "rings of all NPUs, run as wholes, need fewer events than the messages of " +
          std::to_string(search.found->ranks.classes()) + " NPUs";
    return std::nullopt;
  }
  const auto equivalence = std::make_shared<const Equivalence>(std::move(*search.found));
  const LinkedProgram reduced = reduce(program, *equivalence);
  std::optional<ReplayOutcome> outcome;
  if (program.options.explain) {
    outcome = explain_reduced(reduced, *equivalence, program, why);
  } else {
    outcome = run_closed(reduced, *equivalence, program, why);
  }
  if (outcome) outcome->result.equivalence = equivalence;
  return outcome;
}

// Replays one rank per class of equivalent ranks. Returns nothing if there are no classes, or if the order of ranks
// matters. Also returns nothing, and sets `prefers_whole`, if it is given and whole rings are less work. Sets `why`
// to the reason why ranks, or more ranks, are not represented.
std::optional<ReplayOutcome> run_representatives(const ReplayProgram& program, bool* prefers_whole,
                                                 std::string& why) {
  Search search = find_symmetry(program, true);
  const bool has_class_rings = search.found && search.found->has_class_rings();
  std::optional<ReplayOutcome> outcome = run_representatives(program, std::move(search), prefers_whole, why);
  if (outcome || !has_class_rings || (prefers_whole != nullptr && *prefers_whole)) return outcome;
  return run_representatives(program, find_symmetry(program, false), prefers_whole, why);
}

std::optional<Actor> find_target(const ReplayProgram& program) {
  const ExplainTarget& target = *program.options.explain;
  if (target.end) return std::nullopt;
  const auto no = [&](const std::string& what) {
    return usage_error("cannot explain " + what + std::to_string(target.rank) + ": it does not exist");
  };
  if (target.rank >= program.ranks.size()) throw no("rank ");
  const RankCode& code = *program.ranks[target.rank].code;
  for (std::uint32_t node = 0; node < code.ops.size(); ++node) {
    if (code.id(node) == target.node) return Actor{.npu = target.rank, .op = node};
  }
  throw no("node " + std::to_string(target.node) + " of rank ");
}

// See Causes for the reason of the second run.
ReplayOutcome run_explained(const ReplayProgram& program) {
  using CauseReplayer = Replayer<Causes, NodeRecorder>;
  const LinkedProgram linked = link(program);
  const std::optional<Actor> target = find_target(program);
  const std::vector<std::uint32_t>* const none = nullptr;
  std::optional<std::vector<std::uint32_t>> chain;
  {
    CauseReplayer first(linked, target, none);
    ReplayOutcome outcome = run(first);
    const ReplayStatus status = outcome.result.status;
    if (target || status == ReplayStatus::complete || status == ReplayStatus::unmatched)
      chain = first.observer().chain();
    if (!chain) return outcome;
  }
  CauseReplayer second(linked, target, &std::as_const(*chain));
  ReplayOutcome outcome = run(second);
  const Causes& causes = second.observer();
  const Picoseconds at = causes.target() ? causes.target()->begin : outcome.result.total_ps;
  outcome.result.explanation =
      explain({program, second.system(), second.network(), causes.details(), causes.target(), at});
  return outcome;
}

// Makes the slices of collectives refer to the list of collectives.
void number_calls(ReplayResult& result) {
  std::map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t> index;
  if (!result.slice_calls.empty()) {
    for (const CollectiveResult& c : result.collectives)
      index.emplace(std::pair(c.group, c.number), static_cast<std::uint32_t>(index.size()));
  }
  std::vector<std::uint32_t> numbers;
  for (const SliceCall& c : result.slice_calls) numbers.push_back(index.at({c.group, c.number}));
  result.slice_calls = {};
  for (Slice& s : result.timeline.slices) {
    if (s.call != no_index) s.call = numbers[s.call];
  }
}

// Replays all NPUs. If whole rings were preferred to representatives and cannot be run, tries representatives.
ReplayOutcome run_all(const ReplayProgram& program, bool prefers_whole, std::string& why) {
  if (program.options.explain) return run_explained(program);
  LinkedProgram linked = link(program);
  std::optional<ReplayOutcome> outcome;
  if (linked.turns.empty() && !linked.options.network.names_links) outcome = run_whole_rings(linked);
  if (!outcome && prefers_whole) outcome = run_representatives(program, nullptr, why);
  return outcome ? std::move(*outcome) : run_plain(std::move(linked));
}

ReplayOutcome run(const ReplayProgram& program) {
  try {
    std::string why;
    bool prefers_whole = false;
    std::optional<ReplayOutcome> outcome = run_representatives(program, &prefers_whole, why);
    if (!outcome) outcome = run_all(program, prefers_whole, why);
    outcome->result.no_symmetry = std::move(why);
    return std::move(*outcome);
  } catch (const Error& e) {
    // Errors about too large delays and sums have no location; the network causes them.
    if (e.kind() != Error::Kind::input || !e.where().file.empty()) throw;
    throw input_error({.file = program.network.source}, e.what(), "network");
  }
}

}  // namespace

std::string_view name(ReplayStatus status) {
  switch (status) {
    case ReplayStatus::complete: return "complete";
    case ReplayStatus::unmatched: return "unmatched";
    case ReplayStatus::deadlock: return "deadlock";
    case ReplayStatus::stopped: return "stopped";
  }
  return "";
}

ReplayResult replay(const ReplayProgram& program) {
  auto [result, called] = run(program);
  const ReplayOptions& options = program.options;
  result.collectives = list_collectives(program, called);
  number_calls(result);
  result.model = options.network.model;
  result.ideal_network = program.network.ideal;
  if (program.network.machine != nullptr) {
    const Machine& machine = program.network.machine->machine();
    result.machine = machine.name;
    result.machine_nodes = static_cast<std::uint32_t>(program.network.npus() / machine.node.gpus);
  }
  if (options.network.model == NetworkModel::wires && !program.network.ideal)
    result.forwarding = options.network.forwarding.value_or(Forwarding::switches);
  result.issue = options.issue;
  result.notes = program.notes;
  result.gaps.add(program.gaps);
  if (program.rules.notes_gaps()) result.gaps.add(gaps_of(program.network, options.network.model));
  result.recorded_communication = options.recorded != Recorded::nothing;
  bool reaches_peak = false;
  for (Rank r = 0; options.system->config.roofline && r < program.ranks.size(); ++r) {
    result.npus[r].roofline = program.ranks[r].code->roofline;
    reaches_peak = reaches_peak || program.ranks[r].code->roofline.compute_bound > 0;
  }
  if (reaches_peak && !program.rules.notes_gaps())
    result.notes.emplace_back(
        "the roofline runs computations at 100 % of peak-perf; lower peak-perf to the rate that "
        "kernels reach");
  if (!program.rules.notes_gaps()) {
    add_notes(program.omitted, result);
    note_threadblock_rates(program, result);
  }
  return std::move(result);
}

void add_notes(const Omissions& omitted, ReplayResult& result) {
  double compute_ps = 0;
  for (const NpuResult& npu : result.npus) compute_ps += static_cast<double>(npu.compute_ps);
  for (std::string& note : notes_of(omitted, result.npus.size(), result.total_ps, compute_ps))
    result.notes.push_back(std::move(note));
  result.no_time = without_time(omitted);
}

}  // namespace convert
