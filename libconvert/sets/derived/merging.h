// SPDX-License-Identifier: MIT
// Puts algorithms in the place of a workload's collectives, as a set that can be written.
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
  std::vector<CollectiveRule> rules;         // the first that fits counts
  std::uint32_t chunks = 1;                  // instances of a collective, where its rule has no number
  bool require_all = false;                  // a collective that stays is an error
  bool allow_misfits = false;                // an algorithm for another collective is a warning only
  std::optional<std::vector<Rank>> ranks{};  // only these are written
  FasterBuilder faster{};                    // asked beside what is synthesized
  unsigned jobs = 1;
};

class MergedSet : public SetSource {
 public:
  // Reads the algorithms, and once the workload, whose collectives must agree across ranks. Keeps a workload that
  // is a stream in memory. Throws Error(input) [merge], Error(usage).
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
  // Returns what is to be told of the ranks read so far, beside warnings.
  [[nodiscard]] std::vector<std::string> notes() const;
  // Returns how many algorithms were synthesized.
  [[nodiscard]] std::size_t synthesized() const { return synthesis_.made(); }
  // Warns, after all ranks were read, of rules that fit nothing, algorithms of other collectives, misfits, and
  // sizes that were rounded.
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
  std::vector<MergeChoice> choices_;                   // by rule; of builtins without the algorithm
  // Built algorithms by rule, collective, ranks of the group and root, -1 for none.
  std::map<std::tuple<std::size_t, Collective, std::uint32_t, std::int64_t>, MergeChoice> built_;
  SynthesisChoices synthesis_;
  std::vector<bool> used_;   // by rule
  std::vector<Trace> held_;  // a workload that can be read once only
  std::vector<Rank> ranks_;
  MergePlan plan_;
  mutable std::mutex mutex_;
  MergeCounts counts_;
};

}  // namespace convert
