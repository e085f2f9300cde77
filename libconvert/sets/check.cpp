// SPDX-License-Identifier: MIT
#include "sets/check.h"

#include <algorithm>
#include <iterator>

#include "config/groups.h"
#include "core/master/master_set.h"
#include "core/units.h"
#include "core/world_size.h"
#include "formats/pytorch/process_groups.h"
#include "graph/id_ranges.h"
#include "passes/class_proof.h"
#include "passes/findings_order.h"
#include "passes/provenance.h"
#include "passes/provenance_rule.h"
#include "passes/rules/whole_set/collective_groups.h"
#include "passes/trace_summary.h"
#include "passes/verify/merged/proof.h"
#include "passes/verify/postcondition.h"
#include "passes/verify/verify.h"
#include "sets/groups/defined.h"
#include "sets/missing_ranks.h"
#include "sets/world_sizes.h"
#include "util/log.h"
#include "util/parallel.h"

namespace convert {

void report_unreadable(const Error& e, Diagnostics& diagnostics) {
  if (e.kind() != Error::Kind::input) throw e;
  const std::size_t before = diagnostics.errors();
  if (!e.rule().empty()) diagnostics.error(e.where(), e.rule(), e.what());
  if (diagnostics.errors() == before) diagnostics.error(e.where(), "framing", e.what());
}

std::optional<GroupLists> group_lists(const std::optional<InputSet::Groups>& file, std::optional<Rank> ranks,
                                      std::optional<Error>& defect) {
  if (!file) return std::nullopt;
  for (const auto known : {ranks, std::optional<Rank>()}) {
    try {
      GroupLists lists;
      for (CommGroup& g : parse_groups(file->name, file->json, known)) {
        lists.emplace(std::to_string(g.id), std::move(g.ranks));
      }
      return lists;
    } catch (const Error& e) {
      if (!defect) defect = e;
    }
  }
  return std::nullopt;
}

namespace {

// Returns whether the metadata contain programs of merged collectives.
bool has_programs(const Metadata& metadata) {
  return std::ranges::any_of(metadata.table.attrs, [](const Attr& a) { return merged::program_of(a.name) >= 0; });
}

// A rank after its rank-local rules.
struct Checked {
  std::unique_ptr<Diagnostics> findings{};
  std::unique_ptr<Diagnostics> unproved{};  // reasons why merged collectives are not proved
  std::uint64_t nodes = 0;
  bool read = false;
  TraceSummary summary{};
  ProvenanceFacts provenance{};
  MergedCalls merged{};                   // if data flow is proved
  bool names_algorithm = false;           // the metadata names an algorithm
  std::optional<Rank> world{};            // number of ranks in the metadata
  std::optional<Trace> trace{};           // kept if it has chunk provenance, for the rules on algorithms
  std::vector<ProcessGroup> announced{};  // process groups announced by the nodes of a rank without its set
};

class Check {
 public:
  Check(SetSource& source, const CheckOptions& options, Diagnostics& diagnostics)
      : source_(source), options_(options), diagnostics_(diagnostics) {}

  CheckSummary run() {
    const Algorithm* a = source_.algorithm();
    if (proved_by_classes()) return summary_;
    if (a != nullptr) {
      check_algorithm(*a);
    } else {
      check_traces();
    }
    if (cut_short_ && diagnostics_.errors() == 0) {
      diagnostics_.error(
          {.file = source_.base_name()}, "framing",
          "the check is incomplete: it stopped at defects of rules that --rules or --ignore disable");
    }
    summary_.ranks = a != nullptr ? static_cast<std::size_t>(a->ranks()) : ranks_.size();
    summary_.verdict = verdict();
    return std::move(summary_);
  }

 private:
  [[nodiscard]] Verdict verdict() const {
    Verdict verdict{.collective = collective_};
    const auto findings = in_order_of_lines(diagnostics_.all());
    const auto error = std::ranges::find(findings, Severity::error, &Diagnostic::severity);
    if (diagnostics_.errors() > lack_errors_ && error != findings.end()) {
      verdict.outcome = Verdict::Outcome::refuted;
      verdict.refutation = **error;
    } else if (compared_ && lacks_.empty()) {
      verdict.outcome = Verdict::Outcome::proved;
    } else if (options_.dataflow == DataFlow::skipped) {
      verdict.reason = "data flow is skipped";
    } else {
      verdict.reason = lacks_.empty() ? "the input contains no collective" : lacks_;
    }
    return verdict;
  }

  [[nodiscard]] bool required() const { return options_.dataflow == DataFlow::required; }

  // Notes that a result is not proved, unless this is an error.
  void note_unproved(const std::string& why) const {
    log_note(source_.base_name() + ": the result is not proved: " + why);
  }

  // Returns whether a rank of a class-compressed set has results to prove.
  [[nodiscard]] static bool has_results(const MasterSet& set) {
    return std::ranges::any_of(set.classes, [&](const RankClass& c) {
      const auto& attrs = set.shapes[c.metadata_shape].attrs;
      const auto has = [&](Name name) {
        return std::ranges::find(attrs, name, &NodeShape::Attribute::name) != attrs.end();
      };
      return (has(msccl::coll) && has(msccl::nchunksperloop)) ||
             std::ranges::any_of(attrs, [](const auto& a) { return merged::program_of(a.name) >= 0; });
    });
  }

  // Returns whether a class-compressed set has no findings, checked by class.
  [[nodiscard]] bool proved_by_classes() {
    const MasterSet* const set = source_.master();
    if (set == nullptr || required() || (options_.dataflow == DataFlow::told && has_results(*set))) return false;
    std::optional<Error> defect;
    const auto groups = group_lists(source_, static_cast<Rank>(set->ranks()), defect);
    if (defect ||
        !convert::proved_by_classes(*set, source_.base_name(), options_.rules, groups ? &*groups : nullptr))
      return false;
    log_info(counted(set->ranks(), "rank") + " of " + std::to_string(set->classes.size()) +
             (set->classes.size() == 1 ? " class" : " classes") + ", each checked once");
    summary_.ranks = set->ranks();
    for (const RankClass& c : set->classes) summary_.nodes += c.ranks.size() * c.shapes.size();
    return true;
  }

  void check_algorithm(const Algorithm& a) {
    const bool broken = source_.schedule() != nullptr && a.ranks() == 0;  // its errors are already reported
    if (is_complete(a) && !broken) {
      verify_steps(make_step_graph(a));
    } else {
      cut_short_ = true;
    }
  }

  void check_traces() {
    alone_ = !source_.whole_set();
    read_ranks();
    std::stable_sort(ranks_.begin(), ranks_.end(),
                     [](const Checked& a, const Checked& b) { return a.summary.rank < b.summary.rank; });
    // First, because it names the collective that is affected by findings of the rules across ranks.
    const bool merged = prove_merged();
    if (!cut_short_ && !alone_) check_across_ranks();
    if (!cut_short_ && alone_) {
      for (const Checked& c : ranks_)
        check_groups_of_rank(source_, c.summary, c.world, c.announced, options_.rules, diagnostics_);
    }
    if (!cut_short_ && !merged) check_dataflow();
    cut_short_ = cut_short_ || unproved_;
  }

  // Returns false if there are no merged collectives, or a proof was not requested.
  bool prove_merged() {
    if (std::all_of(ranks_.begin(), ranks_.end(), [](const Checked& c) { return c.merged.calls.empty(); }))
      return false;
    MergedProof proof;
    for (Checked& c : ranks_) proof.add(std::move(c.merged));
    std::optional<Error> defect;
    const auto groups = group_lists(source_, static_cast<std::uint32_t>(ranks_.size()), defect);
    const auto found = diagnostics_.sibling();
    for (Checked& c : ranks_) {
      if (c.unproved != nullptr) found->append(*c.unproved);
    }
    const MergedProof::Counts counts = proof.run(groups ? &*groups : nullptr, options_.collective, *found);
    report_proof(*found);
    summary_.merged = counts.collectives;
    const bool proved = counts.proved == counts.collectives;
    unproved_ = required() && !proved;
    if (!proved) lacks_ = "not every merged collective can be proved";
    compared_ = true;
    log_info(std::to_string(counts.proved) + " of " + counted(counts.collectives, "merged collective") +
             " proved, " + counted(counts.other_nodes, "node") +
             (counts.other_nodes == 1 ? " is not in a merged collective" : " are not in merged collectives"));
    const auto whole = std::ranges::find_if(ranks_, &Checked::names_algorithm);
    if (required() && whole != ranks_.end())
      diagnostics_.warning(
          {.file = whole->summary.name}, "provenance",
          "the metadata declares the whole set an algorithm (msccl.*), which is not proved because the set has "
          "merged collectives");
    return true;
  }

  // Reports the findings of a proof of merged collectives. Insufficient provenance is a note unless the proof is
  // required.
  void report_proof(Diagnostics& found) {
    if (required()) return diagnostics_.append(found);
    const auto is_refuted = [](const Diagnostic& d) { return d.rule != "provenance"; };
    for (const Diagnostic& d : found.all()) {
      if (is_refuted(d)) diagnostics_.add(d);
    }
    const auto first = std::ranges::find_if_not(found.all(), is_refuted);
    if (first != found.all().end()) note_unproved(first->message);
  }

  Checked check_rank(TraceReader& reader, Trace&& trace) const {
    Checked c{.findings = diagnostics_.sibling()};
    const bool merges = options_.dataflow != DataFlow::skipped && has_programs(trace.metadata);
    TraceCheck check(trace, options_.rules, *c.findings);
    try {
      // Proofs require whole nodes.
      const bool whole = required() || merges || (wants_algorithm() && may_have_provenance(trace.metadata));
      if (whole) {
        read_nodes(reader, trace);
        check.check_batch();
        if (alone_) c.announced = process_groups(trace, nullptr);
      } else {
        read_nodes(reader, trace, check_parts(), [&] {
          check.check_batch();
          if (alone_) std::ranges::move(process_groups(trace, nullptr), std::back_inserter(c.announced));
        });
      }
      c.read = true;
    } catch (const Error& e) {
      report_unreadable(e, *c.findings);
      c.summary.rank = trace.rank;
      return c;
    }
    const Graph graph = check.finish();
    c.world = world_size(trace.metadata);
    c.summary = summarise(trace, graph);
    if (options_.rules.has(Rule::provenance)) c.provenance = check_provenance(trace, graph, *c.findings);
    if (required()) {
      c.merged = merged_calls(trace, *c.findings);
    } else if (merges) {
      c.unproved = diagnostics_.sibling();
      c.merged = merged_calls(trace, *c.unproved);
    }
    c.nodes = graph.size();
    c.names_algorithm = may_have_provenance(trace.metadata);
    if (wants_algorithm() && provenance_of(trace) != Provenance::none) c.trace = std::move(trace);
    return c;
  }

  // Unlike SetSource::for_each_rank, this continues after an unreadable rank.
  Checked check_independent_rank(std::size_t i) const {
    try {
      Trace trace;
      const auto reader = source_.open_rank(i);
      (void)reader->next_rank(trace);  // throws if there is no rank
      return check_rank(*reader, std::move(trace));
    } catch (const Error& e) {
      Checked c;
      c.findings = diagnostics_.sibling();
      report_unreadable(e, *c.findings);
      return c;
    }
  }

  void read_ranks() {
    const auto take = [&](Checked&& c) {
      diagnostics_.append(*c.findings);
      summary_.nodes += c.nodes;
      cut_short_ = cut_short_ || !c.read;
      if (name_.empty()) name_ = c.summary.name;
      ranks_.push_back(std::move(c));
    };
    if (const std::size_t n = source_.independent_ranks(); n > 0) {
      for_each_ordered(
          options_.jobs, n, [&](std::size_t i) { return check_independent_rank(i); },
          [&](std::size_t, Checked&& c) { take(std::move(c)); });
      return;
    }
    try {
      const auto reader = source_.open_all();
      Trace trace;
      while (!cut_short_ && reader->next_rank(trace)) {  // after a defect the rest of a stream is unreadable
        take(check_rank(*reader, std::move(trace)));
        trace = {};
      }
    } catch (const Error& e) {
      report_unreadable(e, diagnostics_);
      cut_short_ = true;
    }
  }

  void check_across_ranks() {
    std::vector<TraceSummary> summaries;
    std::vector<ProvenanceFacts> provenance;
    for (Checked& c : ranks_) {
      summaries.push_back(std::move(c.summary));
      provenance.push_back(std::move(c.provenance));
    }
    const std::optional<Rank> world = check_world(summaries);
    std::optional<Error> bad_groups;
    const std::optional<GroupLists> groups = group_lists(source_, world, bad_groups);
    if (!check_set(summaries, options_.rules, diagnostics_, groups ? &*groups : nullptr, world.value_or(0))) {
      cut_short_ = true;
      return;
    }
    if (options_.rules.has(Rule::provenance)) check_provenance(provenance, summaries, diagnostics_);
    if (!options_.rules.has(Rule::groups)) return;
    std::vector<Rank> present;
    for (const TraceSummary& s : summaries) present.push_back(s.rank);
    const Rank last = present.size() < 2 ? 0 : *std::ranges::max_element(present) + 1;
    const auto all = std::max(world.value_or(0), last);
    warn_of_missing_ranks(source_.base_name(), present, all == 0 ? std::nullopt : std::optional(all),
                          groups && !bad_groups ? &*groups : nullptr,
                          subset_hint(summaries.empty() ? "" : summaries.front().name), diagnostics_);
    if (bad_groups) {
      report_unreadable(*bad_groups, diagnostics_);
    } else if (groups) {
      check_default_group(*groups);
    } else {
      warn_of_undefined_groups(summaries, diagnostics_);
    }
  }

  // Returns the number of ranks of the whole set in the metadata of its ranks; nothing if they omit it or disagree.
  [[nodiscard]] std::optional<Rank> check_world(const std::vector<TraceSummary>& summaries) const {
    WorldSizes sizes;
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      sizes.add(summaries[i].rank, summaries[i].name, ranks_[i].world);
    const bool wanted = options_.rules.has(Rule::groups);
    if (sizes.differ()) {
      if (wanted) sizes.warn_if_they_differ(diagnostics_);
      return std::nullopt;
    }
    const std::optional<Rank> world = sizes.first();
    if (!world || *world >= ranks_.size()) return world;
    if (wanted)
      diagnostics_.warning({.file = sizes.first_file()}, "groups",
                           "the metadata states world_size " + std::to_string(*world) + ", but there are " +
                               counted(ranks_.size(), "rank"));
    return std::nullopt;
  }

  // Readers of the field interpret the name "0" as all ranks, regardless of the groups file.
  void check_default_group(const GroupLists& groups) {
    const auto zero = groups.find("0");
    if (zero == groups.end() || zero->second.size() >= ranks_.size()) return;
    diagnostics_.error({.file = source_.groups()->name}, "groups",
                       "group 0 must contain all ranks, not " + std::to_string(zero->second.size()) + " of " +
                           std::to_string(ranks_.size()),
                       {"hint: use an id of at least 1 for a group of some ranks"});
  }

  [[nodiscard]] bool wants_algorithm() const {
    return options_.dataflow != DataFlow::skipped || options_.rules.has(Rule::fifo) ||
           options_.rules.has(Rule::races);
  }

  void check_dataflow() {
    if (!wants_algorithm()) return;
    std::vector<Trace> traces;
    for (Checked& c : ranks_) {
      if (c.trace) traces.push_back(std::move(*c.trace));
    }
    if (traces.empty() || traces.size() != ranks_.size() || !source_.whole_set()) {
      const bool told = std::ranges::any_of(ranks_, &Checked::names_algorithm);
      if (options_.dataflow == DataFlow::told && told)
        note_unproved(source_.whole_set() ? "chunk provenance is missing on some ranks or nodes"
                                          : "a proof requires all ranks of the set");
      if (!required()) return;
      cut_short_ = true;
      if (diagnostics_.errors() == 0) {
        lacks_ = source_.whole_set() ? "not every rank states which chunks each message moves"
                                     : "a proof requires all ranks of the set";
        lack_errors_ = 1;
      }
      diagnostics_.error(
          {.file = name_}, "provenance",
          source_.whole_set()
              ? "--dataflow requires chunk provenance (which chunks each message moves) on every rank; "
                "et-convert writes it for algorithms, et-merge for merged workloads"
              : "--dataflow requires all ranks of the set; name its prefix");
      return;
    }
    if (diagnostics_.errors() != 0) return;  // mismatched or deadlocked traces compute nothing
    const auto ranks = int32_value(traces.front().metadata.table.attrs, msccl::ngpus);
    if (options_.dataflow == DataFlow::told && ranks && *ranks > static_cast<std::int64_t>(traces.size()))
      return note_unproved("the algorithm has " + counted(*ranks, "rank") + ", but there are traces of " +
                           std::to_string(traces.size()));
    try {
      verify_steps(make_step_graph(traces, diagnostics_));
    } catch (const Error& e) {  // from make_step_graph
      report_unreadable(e, diagnostics_);
      cut_short_ = true;
    }
  }

  void verify_steps(const StepGraph& graph) {
    const Collective claimed = options_.collective.value_or(claimed_collective(graph));
    summary_.steps = graph.step_count();
    collective_ = claimed;
    if (!has_postcondition(claimed)) {
      lacks_ = "the required result of a collective of type " + std::string(name(claimed)) + " is unknown";
      if (required())
        log_note(source_.base_name() + ": " + lacks_ + ": only its messages, deadlocks and races are checked");
    }
    try {
      const bool follows = options_.dataflow != DataFlow::skipped;
      verify(graph,
             {.dataflow = follows,
              .collective = options_.collective,
              .soft = Severity::error,
              .target = options_.target},
             diagnostics_);
      compared_ = follows;
    } catch (const Error& e) {
      report_unreadable(e, diagnostics_);
      cut_short_ = true;
    }
  }

  SetSource& source_;
  const CheckOptions& options_;
  Diagnostics& diagnostics_;
  std::vector<Checked> ranks_;
  CheckSummary summary_;
  bool alone_ = false;      // the input is one rank of a set
  std::string name_;        // name of the first rank read, for messages
  bool cut_short_ = false;  // some rules could not be checked
  bool unproved_ = false;   // a merged collective is not proved
  Collective collective_ = Collective::custom;
  bool compared_ = false;        // results were compared with the postcondition
  std::string lacks_;            // reason why there is no proof; empty: proved
  std::size_t lack_errors_ = 0;  // errors that only repeat lacks_
};

}  // namespace

CheckSummary check(SetSource& source, const CheckOptions& options, Diagnostics& diagnostics) {
  return Check(source, options, diagnostics).run();
}

Verdict prove(SetSource& source, CheckOptions options, Diagnostics& diagnostics) {
  options.dataflow = DataFlow::required;
  return check(source, options, diagnostics).verdict;
}

std::size_t check_quickly(SetSource& source, Diagnostics& diagnostics) {
  if (source.algorithm() != nullptr)
    return static_cast<std::size_t>(source.algorithm()->ranks());  // already read completely
  std::size_t ranks = 0;
  const auto check_all_of = [&](TraceReader& reader) {
    Trace trace;
    for (; reader.next_rank(trace); ++ranks) {
      IdRanges ids;
      while (reader.next_nodes(trace, batch_nodes)) {
        for (std::size_t i = 0; i < trace.nodes.nodes.size(); ++i) {
          const NodeId id = trace.nodes.nodes[i].id;
          if (!ids.add(id))
            diagnostics.error(location_of(trace, i), "ids", "node " + std::to_string(id) + ": its id is repeated");
        }
      }
    }
  };
  const std::size_t independent = source.independent_ranks();
  for (std::size_t i = 0; i < std::max<std::size_t>(independent, 1); ++i) {
    try {
      check_all_of(*(independent > 0 ? source.open_rank(i) : source.open_all()));
    } catch (const Error& e) {
      report_unreadable(e, diagnostics);
    }
  }
  return ranks;
}

}  // namespace convert
