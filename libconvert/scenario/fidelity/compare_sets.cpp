// SPDX-License-Identifier: MIT
#include "scenario/fidelity/compare_sets.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "config/groups.h"
#include "core/units.h"
#include "core/world_size.h"
#include "scenario/fidelity/simulated_set.h"
#include "sets/made_set.h"
#include "simulate/engine/recorded.h"

namespace convert {
namespace {

// Data of one of the two sets.
struct SetOutline {
  SetFeatures features{};
  std::vector<std::optional<Picoseconds>> spans_ps{};  // of ranks, as recorded; unset: the rank does not end
  std::vector<NetworksOfOneShape> networks{};
  std::vector<SimulatedRuns> simulated{};  // by shape
  std::vector<std::string> notes{};

  [[nodiscard]] std::optional<Picoseconds> span_ps() const {
    std::optional<Picoseconds> most;
    for (const auto& span : spans_ps) {
      if (!span) return std::nullopt;
      most = std::max(most.value_or(0), *span);
    }
    return most;
  }
};

struct OutlinedRank {
  Rank rank = 0;
  std::optional<Rank> world{};  // from its metadata
  RankFeatures features{};
  RecordedRank recorded{};
};

// Returns a set in memory.
std::unique_ptr<SetSource> held(const std::string& name, const std::vector<Trace>& traces,
                                const std::optional<std::string>& groups) {
  auto set = std::make_unique<MadeSet>(name, static_cast<Rank>(traces.size()),
                                       [&traces](Rank place) { return traces[place]; });
  if (groups) set->set_groups(*groups);
  return set;
}

GroupRanks group_ranks(const SetSource& set) {
  GroupRanks out;
  const auto groups = set.groups();
  if (!groups) return out;
  for (CommGroup& g : parse_groups(groups->name, groups->json, std::nullopt))
    out.emplace(std::to_string(g.id), std::move(g.ranks));
  return out;
}

class Outliner {
 public:
  // `name` is the name of the set in notes, "A" or "B".
  Outliner(std::string name, const FidelityWishes& wishes, Diagnostics& diagnostics)
      : name_(std::move(name)), wishes_(wishes), diagnostics_(diagnostics) {}

  SetOutline outline(SetSource& set) {
    if (set.independent_ranks() != 0 && !set.groups_come_late()) return outline_again(set);
    const std::vector<Trace> traces = set.load(wishes_.jobs);
    const auto groups = set.groups();
    const auto in_memory = held(set.base_name(), traces, groups ? std::optional(groups->json) : std::nullopt);
    return outline_again(*in_memory);
  }

 private:
  // Outlines a set that can be read again.
  SetOutline outline_again(SetSource& set) {
    read(set);
    out_.features = set_features(std::move(out_.features.ranks), group_ranks(set), world_);
    if (wishes_.simulate) simulate(set);
    return std::move(out_);
  }

  void read(SetSource& set) {
    const std::shared_ptr<Diagnostics> own = diagnostics_.sibling();
    RecordedReplay replay({}, *own);
    set.for_each_ascending(
        wishes_.jobs,
        [&](TraceReader& reader, Trace& trace) {
          read_nodes(reader, trace);
          OutlinedRank rank{
              .rank = trace.rank, .world = world_size(trace.metadata), .features = features_of(trace)};
          rank.recorded = replay.run(std::exchange(trace, {}));
          return rank;
        },
        [&](OutlinedRank&& rank) {
          world_ = std::max({world_, rank.world.value_or(0), rank.rank + 1});
          out_.features.ranks.push_back(std::move(rank.features));
          replay.add(std::move(rank.recorded));
        });
    const auto recorded = replay.finish();
    out_.spans_ps.resize(out_.features.ranks.size());
    for (std::size_t i = 0; recorded && i < out_.spans_ps.size(); ++i) note_span(i, recorded->npus[i]);
    for (const Diagnostic& d : own->all()) {
      if (d.severity == Severity::error)
        return out_.notes.push_back(name_ + " cannot be replayed as recorded: " + d.message);
    }
  }

  void note_span(std::size_t i, const NpuResult& npu) {
    out_.spans_ps[i] = npu.finish_ps;
    if (npu.finish_ps || noted_) return;
    noted_ = true;
    out_.notes.push_back("rank " + std::to_string(out_.features.ranks[i].rank) + " of " + name_ +
                         " never ends as recorded: " + counted(npu.nodes - npu.nodes_done, "node") +
                         (npu.nodes - npu.nodes_done == 1 ? " waits" : " wait") + " forever");
  }

  void simulate(SetSource& set) {
    const auto& ranks = out_.features.ranks;
    if (ranks.size() != world_ || world_ < 2) {
      out_.notes.push_back(
          name_ + " is not simulated: " +
          (world_ < 2 ? "a network requires at least two NPUs"
                      : std::to_string(ranks.size()) + " of its " + counted(world_, "rank") + " are available"));
      return;
    }
    out_.networks = networks_to_compare_on(world_);
    if (!wishes_.networks.empty()) {
      out_.networks.clear();
      for (const std::string& network : wishes_.networks) out_.networks.push_back({.names = {network}});
    }
    for (const NetworksOfOneShape& networks : out_.networks) {
      out_.simulated.push_back(simulate_set(set, networks, out_.features.all.nodes, wishes_.jobs, diagnostics_));
      const std::vector<RunOutline>& runs = out_.simulated.back().runs;
      const auto stuck = std::ranges::find_if(runs, [](const RunOutline& r) { return !r.complete(); });
      if (stuck == runs.end()) continue;
      const std::size_t at = static_cast<std::size_t>(stuck - runs.begin());
      out_.notes.push_back(name_ + " does not run on " + networks.names[at] + ": " + stuck->failure);
    }
  }

  std::string name_;
  const FidelityWishes& wishes_;
  Diagnostics& diagnostics_;
  SetOutline out_;
  Rank world_ = 0;  // number of ranks of the whole set
  bool noted_ = false;
};

void compare_ranks(const SetOutline& a, const SetOutline& b, Fidelity& to) {
  const auto &of_a = a.features.ranks, &of_b = b.features.ranks;
  if (!std::ranges::equal(of_a, of_b, {}, &RankFeatures::rank, &RankFeatures::rank)) {
    to.notes.emplace_back("A and B have different ranks, so only the whole sets are compared");
    return;
  }
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    Fidelity::OfRank one{.rank = of_a[i].rank, .figures = compare_features(of_a[i], of_b[i])};
    one.figures.span_a_ps = a.spans_ps[i];
    one.figures.span_b_ps = b.spans_ps[i];
    to.ranks.push_back(std::move(one));
  }
}

// Networks for sets of different sizes have different names.
std::string network_title(const std::string& a, const std::string& b) { return a == b ? a : a + " and " + b; }

void compare_runs_of(const SetOutline& a, const SetOutline& b, Fidelity& to) {
  for (std::size_t s = 0; s < std::min(a.simulated.size(), b.simulated.size()); ++s) {
    const SimulatedRuns &x = a.simulated[s], &y = b.simulated[s];
    for (std::size_t i = 0; i < x.runs.size(); ++i)
      to.simulated.push_back({.network = network_title(a.networks[s].names[i], b.networks[s].names[i]),
                              .a = x.runs[i],
                              .b = y.runs[i]});
    const auto ends = [](const SimulatedRuns& r) { return std::ranges::all_of(r.runs, &RunOutline::complete); };
    if (to.ranks_a != to.ranks_b || !ends(x) || !ends(y)) continue;
    TrafficFidelity traffic = compare_traffic(x.traffic, y.traffic);
    const std::string& network = a.networks[s].names.front();
    traffic.network = network.substr(0, network.find(','));
    to.traffic.push_back(std::move(traffic));
  }
}

Fidelity compare_outlines(const SetOutline& a, const SetOutline& b) {
  Fidelity out{.ranks_a = a.features.ranks.size(), .ranks_b = b.features.ranks.size()};
  out.set = compare_features(a.features.all, b.features.all);
  out.set.span_a_ps = a.span_ps();
  out.set.span_b_ps = b.span_ps();
  out.notes = a.notes;
  out.notes.insert(out.notes.end(), b.notes.begin(), b.notes.end());
  compare_ranks(a, b, out);
  compare_runs_of(a, b, out);
  return out;
}

}  // namespace

Fidelity compare_sets(SetSource& a, SetSource& b, const FidelityWishes& wishes, Diagnostics& diagnostics) {
  const SetOutline of_a = Outliner("A", wishes, diagnostics).outline(a);
  const SetOutline of_b = Outliner("B", wishes, diagnostics).outline(b);
  return compare_outlines(of_a, of_b);
}

Fidelity compare_sets(const TracesAndGroups& a, const TracesAndGroups& b, const FidelityWishes& wishes,
                      Diagnostics& diagnostics) {
  const auto source = [](const char* name, const TracesAndGroups& of) {
    return held(name, of.traces, of.groups_json.empty() ? std::nullopt : std::optional(of.groups_json));
  };
  return compare_sets(*source("A", a), *source("B", b), wishes, diagnostics);
}

}  // namespace convert
