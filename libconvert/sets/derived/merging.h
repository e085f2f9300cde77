// SPDX-License-Identifier: MIT
// Replaces a workload's collectives by algorithms, as a set for writing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "config/collective_rules.h"
#include "core/diagnostic.h"
#include "passes/merge/merge.h"
#include "passes/trace_summary.h"
#include "sets/derived/synthesis_choices.h"
#include "sets/set_source.h"
#include "sets/source.h"

namespace convert {

struct MergeOptions {
  std::vector<CollectiveRule> rules;         // the first matching rule applies
  std::uint32_t chunks = 1;                  // instances of a collective, if its rule has no number
  bool require_all = false;                  // an unmatched collective is an error
  bool allow_misfits = false;                // an algorithm for another collective causes only a warning
  std::optional<std::vector<Rank>> ranks{};  // write only these ranks
  FasterBuilder faster{};                    // alternative to synthesized algorithms
  unsigned jobs = 1;
};

class MergedSet : public SetSource {
 public:
  // Reads the algorithms, and once the workload, whose collectives must agree across ranks. A streamed workload is
  // stored in memory. Throws Error(input) [merge], Error(usage).
  MergedSet(SetSource& workload, MergeOptions options, Diagnostics& diagnostics);
  ~MergedSet() override;

  [[nodiscard]] std::string base_name() const override { return workload_.base_name(); }
  [[nodiscard]] bool many() override { return ranks_.size() > 1; }
  [[nodiscard]] std::size_t independent_ranks() const override { return ranks_.size(); }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override { return workload_.groups(); }

  // Returns the counts of all ranks read so far.
  [[nodiscard]] MergeCounts counts() const;
  // Returns messages about the ranks read so far, in addition to warnings.
  [[nodiscard]] std::vector<std::string> notes() const;
  // Returns the number of synthesized algorithms.
  [[nodiscard]] std::size_t synthesized() const { return synthesis_.made(); }
  // Warns, after all ranks are read, about rules without matches, algorithms of other collectives, misfits, and
  // rounded sizes.
  void finish();

 private:
  class Reader;
  [[nodiscard]] Error failure(const std::string& message) const;
  void load_algorithms();
  [[nodiscard]] MergeAlgorithm from_file(const std::string& path);
  void build_algorithms(const std::vector<CollectiveCensus>& found);
  struct Counted;
  std::uint32_t add(MergeAlgorithm algorithm);
  void census();
  [[nodiscard]] std::vector<Rank> ranks_of(const MergePlan::Group& group) const;
  [[nodiscard]] bool calls_in_question(const std::vector<CollectiveCensus>& found) const;
  [[nodiscard]] bool check_calls(const std::vector<CollectiveCensus>& found);
  void note_unequal_calls(std::span<const TraceSummary> summaries);
  [[nodiscard]] std::uint64_t same_calls(const std::string& group, std::span<const Rank> ranks,
                                         const std::vector<CollectiveCensus>& found) const;
  void define_groups(const std::vector<CollectiveCensus>& found);
  [[nodiscard]] const MergeChoice* choose(const MergeCall& call);
  [[nodiscard]] Trace read_rank(Rank rank);
  void add(const MergeCounts& counts);

  SetSource& workload_;
  MergeOptions options_;
  Diagnostics& diagnostics_;
  std::vector<std::unique_ptr<TraceSource>> sources_;  // of the algorithms
  std::vector<MergeChoice> choices_;                   // by rule; builtins have no algorithm here
  // Built algorithms by rule, collective, number of ranks in the group, and root (-1: no root).
  std::map<std::tuple<std::size_t, Collective, std::uint32_t, std::int64_t>, MergeChoice> built_;
  SynthesisChoices synthesis_;
  std::vector<bool> used_;   // by rule
  std::vector<Trace> held_;  // a workload that can be read only once
  std::vector<Rank> ranks_;
  MergePlan plan_;
  mutable std::mutex mutex_;
  MergeCounts counts_;
};

}  // namespace convert
