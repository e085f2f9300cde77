// SPDX-License-Identifier: MIT
#include "sets/derived/merging.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <type_traits>
#include <utility>

#include "collectives/collective.h"
#include "config/groups.h"
#include "core/algorithm/chunk_bytes.h"
#include "core/algorithm/link_way.h"
#include "core/collective.h"
#include "core/units.h"
#include "core/world_size.h"
#include "passes/lower/lower.h"
#include "passes/merge/algorithm.h"
#include "passes/merge/chunk_flow.h"
#include "passes/provenance.h"
#include "passes/provenance_rule.h"
#include "passes/ten/algorithm.h"
#include "passes/ten/check.h"
#include "passes/ten/relays.h"
#include "passes/validate.h"
#include "sets/derived/merge_algorithms.h"
#include "sets/schedules.h"
#include "util/parallel.h"

namespace convert {
namespace {

// Returns work(the algorithm that the traces were made from); nothing if the traces do not identify it, or
// contradict it.
template <class Work>
auto of_algorithm(const std::vector<Trace>& traces, const Work& work)
    -> decltype(work(std::declval<const Algorithm&>())) {
  try {
    return work(raise_algorithm(traces));
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Throws Error if the rule's algorithm is malformed, unknown, or for other collectives, independent of the
// workload.
void check_builtin(const CollectiveRule& rule) {
  const auto parse = [&] { return request_of(rule.algorithm, Collective::all_reduce, 2, std::nullopt); };
  (void)at_rule(rule, "'" + rule.text + "': ", parse);
  (void)at_rule(rule, "", [&] { return usual_builtin(rule.algorithm, rule.which.type); });
}

MergeAlgorithm built_in(const CollectiveRule& rule, Collective type, std::uint32_t members, std::int64_t root,
                        Diagnostics& diagnostics) {
  return at_rule(rule, "", [&] {
    const auto place = root < 0 ? std::nullopt : std::optional<std::uint32_t>(root);
    const CollectiveRequest request = request_of(rule.algorithm, type, members, place);
    return merge_algorithm_of(rule.algorithm, build_collective(request), diagnostics);
  });
}

// Makes an algorithm without its switches, which have no rank in a group.
MergeAlgorithm without_switches(const std::string& path, const Schedule& schedule, Diagnostics& diagnostics) {
  const Schedule rest = without_idle_relays(schedule);
  Diagnostics told;  // findings about the whole schedule
  Schedule timed;
  const Flow flow = check_schedule(rest, timed, told);
  MergeAlgorithm out = merge_algorithm_of(path, make_algorithm(rest, timed, flow), diagnostics);
  out.network.clear();  // its device numbers differ
  out.places_note = ", because relays that carry no data have no rank";
  return out;
}

Trace whole_rank(TraceReader& reader) {
  Trace trace;
  (void)reader.next_rank(trace);
  read_nodes(reader, trace);
  return trace;
}

}  // namespace

// Facts about a rank for the merge plan.
struct MergedSet::Counted {
  Rank rank = 0;
  std::optional<Rank> world{};
  CollectiveCensus census{};
  SynthesisChoices::Sizes wanted{};
};

// Ranks [first, last) of the list, each merged on demand.
class MergedSet::Reader : public TraceReader {
 public:
  Reader(MergedSet& set, std::size_t first, std::size_t last) : set_(set), next_(first), last_(last) {}

  bool next_rank(Trace& out) override {
    if (next_ == last_) return false;
    Trace workload = set_.read_rank(set_.ranks_[next_++]);
    out.rank = workload.rank;
    out.name = workload.name;
    out.metadata = workload.metadata;
    out.nodes.clear();
    merged_ = std::make_unique<MergedRank>(set_.plan_, std::move(workload));
    merged_->add_programs(out.metadata);
    set_.add(merged_->counts());
    return true;
  }
  bool next_nodes(Trace& out, std::size_t max_nodes) override { return merged_->next(out, max_nodes); }

 private:
  MergedSet& set_;
  std::size_t next_;
  std::size_t last_;
  std::unique_ptr<MergedRank> merged_;
};

MergedSet::MergedSet(SetSource& workload, MergeOptions options, Diagnostics& diagnostics)
    : workload_(workload),
      options_(std::move(options)),
      diagnostics_(diagnostics),
      synthesis_(options_.rules, options_.faster) {
  plan_.allow_misfits = options_.allow_misfits;
  plan_.require_all = options_.require_all;
  load_algorithms();
  if (diagnostics.errors() != 0) return;
  census();
  if (diagnostics_.errors() != 0) return;
  used_.resize(options_.rules.size());
  plan_.choose = [this](const MergeCall& call) { return choose(call); };
}

MergedSet::~MergedSet() = default;

Error MergedSet::failure(const std::string& message) const {
  return input_error({.file = workload_.base_name()}, message, "merge");
}

std::uint32_t MergedSet::add(MergeAlgorithm algorithm) {
  plan_.tags = std::max(plan_.tags, algorithm.tags);
  if (plan_.network.empty()) {
    plan_.network = algorithm.network;
    plan_.forwarding = algorithm.forwarding;
  }
  plan_.algorithms.push_back(std::move(algorithm));
  return static_cast<std::uint32_t>(plan_.algorithms.size() - 1);
}

MergeAlgorithm MergedSet::from_file(const std::string& path) {
  auto source = std::make_unique<TraceSource>(SourceOptions{.operands = {path}, .hash = false}, diagnostics_);
  MergeAlgorithm algorithm;
  algorithm.source = path;
  if (!source->prepare(false)) return algorithm;
  if (const Algorithm* a = source->algorithm()) {
    algorithm.places = static_cast<std::uint32_t>(a->ranks());
    algorithm.tags = tags_of(*a);
    if (const Schedule* schedule = source->schedule(); schedule != nullptr && has_idle_relays(*schedule))
      return without_switches(path, *schedule, diagnostics_);
    algorithm.chunks = a->chunks;
    algorithm.collective = name(claimed_collective(*a));
    algorithm.relays = a->relays;
    algorithm.network = a->scheduled_for.network;
    algorithm.forwarding = a->scheduled_for.forwarding;
    algorithm.load = [s = source.get()](std::uint32_t p) { return whole_rank(*s->open_rank(p)); };
    algorithm.flow = lazy_flow([a] { return ChunkFlow::of(*a); });
    algorithm.root = lazily([a] { return root_place(*a); });
    sources_.push_back(std::move(source));
    return algorithm;
  }
  auto traces = std::make_shared<std::vector<Trace>>(source->load(options_.jobs));
  require_whole_set(*traces);
  algorithm.places = static_cast<std::uint32_t>(traces->size());
  for (const Trace& t : *traces) {
    const MergePlace place = read_merge_place(t, algorithm.places);
    algorithm.tags = std::max(algorithm.tags, place.tags);
    for (const MergePlace::Node& n : place.nodes) algorithm.chunks = std::max(algorithm.chunks, n.of_chunks);
  }
  // Tags are renumbered at each end of a message, which would hide unmatched ends.
  std::vector<TraceSummary> summaries;
  std::vector<ProvenanceFacts> facts;  // counters determine the sizes
  for (const Trace& t : *traces) {
    summaries.push_back(summarise(t));
    ProvenanceFacts& own = facts.emplace_back();
    own.counters = check_chunk_counters(t, diagnostics_);
    if (own.counters.total != 0) own.where = location_of(t, own.counters.node);
  }
  check_set(summaries, RuleSet::parse("pairs,deadlock"), diagnostics_);
  check_provenance(facts, summaries, diagnostics_);
  const auto& metadata = traces->front().metadata.table;
  algorithm.collective = string_value(metadata, metadata.attrs, attr::collective).value_or("");
  if (const auto known = parse_collective(algorithm.collective, in_algorithms)) algorithm.collective = name(*known);
  algorithm.relays = relays_of(traces->front());
  algorithm.network = string_value(metadata, metadata.attrs, scheduled_network).value_or("");
  algorithm.forwarding = string_value(metadata, metadata.attrs, scheduled_forwarding).value_or("");
  algorithm.load = [traces](std::uint32_t p) { return (*traces)[p]; };
  algorithm.flow = lazy_flow([traces] { return of_algorithm(*traces, ChunkFlow::of); });
  algorithm.root = lazily([traces] { return of_algorithm(*traces, root_place); });
  return algorithm;
}

void MergedSet::load_algorithms() {
  std::map<std::string, std::uint32_t> known;
  for (const CollectiveRule& rule : options_.rules) {
    const std::uint32_t chunks = rule.chunks != 0 ? rule.chunks : options_.chunks;
    plan_.most_chunks = std::max(plan_.most_chunks, chunks);
    choices_.push_back({.algorithm = 0, .chunks = chunks});
    if (rule.builtin) {
      if (!synthesis_.has(choices_.size() - 1)) check_builtin(rule);
      continue;
    }
    auto at = known.find(rule.algorithm);
    if (at == known.end()) at = known.emplace(rule.algorithm, add(from_file(rule.algorithm))).first;
    choices_.back().algorithm = at->second;
    if (diagnostics_.errors() != 0) return;
  }
}

// Builds a builtin for each number of ranks and each collective that may require it.
void MergedSet::build_algorithms(const std::vector<CollectiveCensus>& found) {
  for (const auto& [group_name, group] : plan_.groups) {
    const Rank first = group.ranks.empty() ? 0 : group.ranks.front();
    const auto census = found[first].groups.find(group_name);
    if (census == found[first].groups.end()) continue;
    const auto members = static_cast<std::uint32_t>(group.ranks.empty() ? plan_.ranks : group.ranks.size());
    for (std::size_t i = 0; i < options_.rules.size(); ++i) {
      const CollectiveRule& rule = options_.rules[i];
      for (const auto& [type, rank] : census->second.kinds) {
        if (!rule.builtin || synthesis_.has(i) || members < 2 || !rule.which.takes(type)) continue;
        const auto place = group.place(rank, plan_.ranks);
        const std::int64_t root = place ? std::int64_t{*place} : -1;
        const auto [at, added] = built_.try_emplace({i, type, members, root}, choices_[i]);
        if (added) at->second.algorithm = add(built_in(rule, type, members, root, diagnostics_));
      }
    }
  }
}

std::vector<Rank> MergedSet::ranks_of(const MergePlan::Group& group) const {
  if (!group.ranks.empty()) return group.ranks;
  std::vector<Rank> ranks(plan_.ranks);
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  return ranks;
}

// Returns whether the counts alone do not prove that the ranks' calls match.
bool MergedSet::calls_in_question(const std::vector<CollectiveCensus>& found) const {
  return std::ranges::any_of(plan_.groups, [&](const auto& entry) {
    const std::vector<Rank> ranks = ranks_of(entry.second);
    const auto calls_of = [&](Rank r) {
      const auto at = found[r].groups.find(entry.first);
      return at == found[r].groups.end() ? CollectiveCensus::Group{} : at->second;
    };
    const CollectiveCensus::Group first = calls_of(ranks.front());
    return std::ranges::any_of(ranks, [&](Rank r) {
      const CollectiveCensus::Group own = calls_of(r);
      return own.in_question || own.calls != first.calls || own.digest != first.digest;
    });
  });
}

// Checks with et-validate's rule whether the ranks' calls match. Returns false, with errors, if they do not.
bool MergedSet::check_calls(const std::vector<CollectiveCensus>& found) {
  if (!calls_in_question(found)) return true;
  std::vector<TraceSummary> summaries;
  for (const Trace& t : held_) summaries.push_back(summarise(t));
  if (held_.empty()) {
    workload_.for_each_rank(
        options_.jobs,
        [](TraceReader& reader, Trace& head) {
          read_nodes(reader, head);
          return summarise(head);
        },
        [&](TraceSummary&& s) { summaries.push_back(std::move(s)); });
  }
  GroupLists lists;
  for (const auto& [name, group] : plan_.groups) {
    if (name != "0") lists[name] = group.ranks;
  }
  const std::size_t before = diagnostics_.errors();
  check_set(summaries, RuleSet::parse("collectives"), diagnostics_, lists.empty() ? nullptr : &lists, plan_.ranks);
  if (diagnostics_.errors() != before) return false;
  note_unequal_calls(summaries);
  return true;
}

void MergedSet::note_unequal_calls(std::span<const TraceSummary> summaries) {
  for (auto& [name, group] : plan_.groups) {
    std::map<std::size_t, std::int64_t> sizes;  // by index of the call, from its first rank
    std::set<std::size_t> unequal;
    for (const Rank r : ranks_of(group)) {
      const auto use = std::ranges::find(summaries[r].collectives, name == "0" ? "" : name, &GroupUse::group);
      for (std::size_t k = 0; use != summaries[r].collectives.end() && k < use->calls.size(); ++k) {
        if (sizes.try_emplace(k, use->calls[k].size).first->second != use->calls[k].size) unequal.insert(k);
      }
    }
    group.unequal.assign(unequal.begin(), unequal.end());
  }
}

// Returns the number of calls of the group, which must be equal on all ranks so that their instances match.
std::uint64_t MergedSet::same_calls(const std::string& group, std::span<const Rank> ranks,
                                    const std::vector<CollectiveCensus>& found) const {
  const auto calls_of = [&](Rank r) {
    const auto at = found[r].groups.find(group);
    return at == found[r].groups.end() ? 0 : at->second.calls;
  };
  const std::uint64_t first = calls_of(ranks.front());
  for (const Rank r : ranks) {
    if (calls_of(r) == first) continue;
    throw failure("ranks " + std::to_string(ranks.front()) + " and " + std::to_string(r) + " call " +
                  std::to_string(first) + " and " + std::to_string(calls_of(r)) + " collectives of group " + group);
  }
  return first;
}

void MergedSet::define_groups(const std::vector<CollectiveCensus>& found) {
  plan_.groups["0"];
  if (const auto file = workload_.groups()) {
    for (CommGroup& g : parse_groups(file->name, file->json, plan_.ranks))
      plan_.groups[std::to_string(g.id)].ranks = std::move(g.ranks);
  }
  if (!check_calls(found)) return;
  std::uint64_t calls = 0;
  for (auto& [name, group] : plan_.groups) {
    group.first_call = calls;
    calls += same_calls(name, ranks_of(group), found);
  }
  build_algorithms(found);
  synthesis_.make(plan_, options_.jobs, diagnostics_, [this](std::size_t rule, MergeAlgorithm algorithm) {
    MergeChoice choice = choices_[rule];
    choice.algorithm = add(std::move(algorithm));
    return choice;
  });
  std::int64_t last = 0;
  const std::int64_t instances = static_cast<std::int64_t>(calls) * plan_.most_chunks;
  if (__builtin_mul_overflow(instances, std::int64_t{plan_.tags}, &last) || last > largest_tag - plan_.first_tag) {
    throw failure(std::to_string(instances) + " instances of " + std::to_string(plan_.tags) +
                  " tags each do not fit into 31 bits");
  }
}

void MergedSet::census() {
  std::vector<CollectiveCensus> found;
  const bool again = workload_.independent_ranks() != 0;
  const auto count_one = [this](const Trace& t) {
    return Counted{t.rank, world_size(t.metadata), count_collectives(t.nodes), synthesis_.wanted_by(t.nodes)};
  };
  const auto count = [&](TraceReader& reader, Trace& head) {
    read_nodes(reader, head);
    return count_one(head);
  };
  if (!again) held_ = workload_.load(options_.jobs);
  std::vector<Rank> numbers;
  std::optional<Rank> world;
  const auto add = [&](Counted&& one) {
    numbers.push_back(one.rank);
    world = std::max(world, one.world);
    found.push_back(std::move(one.census));
    synthesis_.want(one.wanted);
  };
  for (const Trace& t : held_) add(count_one(t));
  if (again) workload_.for_each_rank(options_.jobs, count, add);
  if (const WorldSizes* sizes = workload_.world_sizes()) {
    sizes->warn_if_they_differ(diagnostics_);
    if (sizes->differ()) world.reset();
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != i)
      throw failure("rank " + std::to_string(i) + " is missing: a collective requires all ranks of its group");
  }
  if (world.value_or(0) > numbers.size()) {
    throw failure("rank " + std::to_string(numbers.size()) + " is missing: the whole set has " +
                  counted(*world, "rank") + ", and a collective requires all ranks of its group");
  }
  plan_.ranks = static_cast<std::uint32_t>(found.size());
  std::int64_t highest = -1;
  for (const CollectiveCensus& c : found) {
    highest = std::max(highest, c.highest_tag);
    plan_.first_instance = std::max(plan_.first_instance, static_cast<std::uint64_t>(c.highest_instance + 1));
  }
  if (highest >= largest_tag) throw failure("no tags are left after " + std::to_string(highest));
  plan_.first_tag = highest + 1;
  define_groups(found);
  if (diagnostics_.errors() != 0) return;
  ranks_.resize(plan_.ranks);
  std::iota(ranks_.begin(), ranks_.end(), Rank{0});
  if (!options_.ranks) return;
  if (options_.ranks->back() >= plan_.ranks) {
    throw usage_error("--ranks: there is no rank " + std::to_string(options_.ranks->back()) +
                      "; the workload has " + std::to_string(plan_.ranks));
  }
  ranks_ = *options_.ranks;
}

const MergeChoice* MergedSet::choose(const MergeCall& call) {
  for (std::size_t i = 0; i < options_.rules.size(); ++i) {
    if (!options_.rules[i].which.fits(call.type, call.group, call.bytes, call.node, call.name)) continue;
    const std::lock_guard lock(mutex_);
    used_[i] = true;
    if (!options_.rules[i].builtin) return &choices_[i];
    if (call.members == 1) return nullptr;  // there is no other rank
    if (synthesis_.has(i)) {
      const MergeChoice* const made = synthesis_.find(i, call);
      return made == nullptr ? &choices_[i] : made;
    }
    const auto at = built_.find({i, call.type, call.members, call.root ? std::int64_t{*call.root} : -1});
    return at == built_.end() ? &choices_[i] : &at->second;  // choices_[i] is rejected later, for its missing
                                                             // algorithm
  }
  return nullptr;
}

Trace MergedSet::read_rank(Rank rank) {
  if (!held_.empty()) return held_[rank];
  return whole_rank(*workload_.open_rank(rank));
}

void MergedSet::add(const MergeCounts& counts) {
  const std::lock_guard lock(mutex_);
  counts_.merged += counts.merged;
  counts_.kept += counts.kept;
  counts_.added += counts.added;
  counts_.spread += counts.spread;
  counts_.rounded += counts.rounded;
  counts_.misfits += counts.misfits;
  for (const auto& [which, calls] : counts.small) counts_.small[which] += calls;
  counts_.others.insert(counts.others.begin(), counts.others.end());
}

MergeCounts MergedSet::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

std::unique_ptr<TraceReader> MergedSet::open_rank(std::size_t i) {
  return std::make_unique<Reader>(*this, i, i + 1);
}
std::unique_ptr<TraceReader> MergedSet::open_all() { return std::make_unique<Reader>(*this, 0, ranks_.size()); }

std::vector<std::string> MergedSet::notes() const {
  const MergeCounts counts = this->counts();
  std::vector<std::string> notes;
  std::map<std::pair<std::string, std::int64_t>, std::uint64_t> small;  // builtins have an algorithm for each use
  for (const auto& [which, calls] : counts.small)
    small[{plan_.algorithms[which.first].source, which.second}] += calls;
  for (const auto& [which, calls] : small)
    notes.push_back(too_small_text(calls, "is unchanged", "are unchanged", which.first, which.second));
  if (counts.spread != 0) {
    notes.push_back("the bytes of " + counted(counts.spread, "collective node") +
                    " are not a multiple of their algorithm's chunks; some chunks are one byte longer");
  }
  return notes;
}

void MergedSet::finish() {
  const MergeCounts counts = this->counts();
  for (std::size_t i = 0; i < used_.size(); ++i) {
    if (used_[i]) continue;
    diagnostics_.warning({.file = workload_.base_name()}, "merge",
                         "'" + options_.rules[i].text + "' matches no collective");
  }
  for (const auto& [algorithm, type] : counts.others) {
    const std::string& own = plan_.algorithms[algorithm].collective;
    diagnostics_.warning({.file = workload_.base_name()}, "merge",
                         "the algorithm " + plan_.algorithms[algorithm].source +
                             (own == "custom" ? " is custom" : " is for " + own) + ", but replaces " +
                             std::string(name(type)));
  }
  if (counts.misfits != 0) {
    diagnostics_.warning(
        {.file = workload_.base_name()}, "merge",
        counted(counts.misfits, "collective node") +
            " merged that the algorithm does not support: another root, shards of different sizes, "
            "ranks instead of relays, or only some dimensions of the network");
  }
  if (counts.rounded == 0) return;
  diagnostics_.warning(
      {.file = workload_.base_name()}, "sizes",
      "the bytes of " + counted(counts.rounded, "collective node") +
          " are not a multiple of their algorithm's chunks, and its traces do not state which chunks "
          "a message carries; messages are rounded down");
}

}  // namespace convert
