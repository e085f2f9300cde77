// SPDX-License-Identifier: MIT
// Set of some or all ranks of another set, each changed independently.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "passes/split/collapse.h"
#include "passes/split/subset.h"
#include "sets/set_source.h"

namespace convert {

struct RankwiseOptions {
  bool collapse = false;               // replace merged collectives by single nodes
  std::optional<RankSubset> subset{};  // applied after collapsing
};

// Keeps at most one rank per thread in memory; a rank that is only collapsed and can be read twice is read in
// batches.
class RankwiseSet : public SetSource {
 public:
  // Throws Error(usage) if the set lacks a rank of the subset, if this is known before reading.
  RankwiseSet(SetSource& source, RankwiseOptions options, Diagnostics& diagnostics);

  [[nodiscard]] std::string base_name() const override { return source_.base_name(); }
  [[nodiscard]] bool many() override;
  [[nodiscard]] std::size_t independent_ranks() const override { return indices_.size(); }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  // Returns a subset's groups without members outside the subset, and without empty groups.
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override;
  [[nodiscard]] bool groups_come_late() const override { return source_.groups_come_late(); }
  [[nodiscard]] bool has_subgroups() const override { return source_.has_subgroups(); }
  [[nodiscard]] const WorldSizes* world_sizes() const override {
    return options_.subset ? nullptr : source_.world_sizes();
  }

  struct Counts {
    CollapseCounts folded;
    SubsetCounts taken;
  };
  // Returns the counts of all ranks read so far.
  [[nodiscard]] Counts counts() const;
  // Warns, after all ranks are read, about collectives of groups that have lost members, omitted messages, and
  // nothing to collapse. Throws Error(usage) if the set lacks a rank of the subset.
  void finish();

 private:
  class FoldingReader;
  // Reads and changes the next selected rank of `source`. Returns false at the end.
  bool read(TraceReader& source, Trace& out);
  [[nodiscard]] std::unique_ptr<TraceReader> changed(std::shared_ptr<TraceReader> source);
  // Returns whether ranks are only collapsed and may be read again; reading linked ranks reports findings.
  [[nodiscard]] bool folds_only() const {
    return options_.collapse && !options_.subset && !source_.groups_come_late();
  }
  void find_ranks();
  void change(Trace& trace);
  void note(Rank rank, const Counts& counts);
  void require(Rank rank) const;
  void warn_of_groups(const Counts& counts);
  [[nodiscard]] const std::vector<Rank>* members_of(std::string_view group);

  SetSource& source_;
  RankwiseOptions options_;
  Diagnostics& diagnostics_;
  std::vector<std::size_t> indices_;  // of the ranks in the source; empty for a stream
  mutable std::mutex mutex_;
  std::once_flag groups_read_;
  std::map<std::string, std::vector<Rank>, std::less<>> members_;  // by pg_name
  std::map<Rank, bool> seen_;      // ranks of the source: whether they were selected
  std::map<Rank, Counts> counts_;  // by rank, which may be read again
};

}  // namespace convert
