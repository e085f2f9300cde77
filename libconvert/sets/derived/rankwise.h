// SPDX-License-Identifier: MIT
// Makes a set of another one: of some of its ranks, or all, each changed by itself.
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
  bool collapse = false;               // fold merged collectives
  std::optional<RankSubset> subset{};  // after that
};

// Keeps at most one rank for each thread in memory; one that is only folded and can be read twice, not even whole.
class RankwiseSet : public SetSource {
 public:
  // Throws Error(usage) if the set lacks a rank of the subset, where that is known before reading.
  RankwiseSet(SetSource& source, RankwiseOptions options, Diagnostics& diagnostics);

  [[nodiscard]] std::string base_name() const override { return source_.base_name(); }
  [[nodiscard]] bool many() override;
  [[nodiscard]] std::size_t independent_ranks() const override { return indices_.size(); }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  // Returns a subset's groups without the members that it leaves out, and without empty groups.
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
  // Warns, after all ranks were read, of collectives of groups that have lost members, messages left out, and
  // nothing to collapse. Throws Error(usage) if the set lacks a rank of the subset.
  void finish();

 private:
  class FoldingReader;
  // Reads the next rank of `source` that is taken, and changes it. Returns false at the end.
  bool read(TraceReader& source, Trace& out);
  [[nodiscard]] std::unique_ptr<TraceReader> changed(std::shared_ptr<TraceReader> source);
  // Returns whether ranks are folded, and may be read again: that of linked ones tells findings.
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
  std::vector<std::size_t> indices_;  // of the ranks in the source; empty: it is a stream
  mutable std::mutex mutex_;
  std::once_flag groups_read_;
  std::map<std::string, std::vector<Rank>, std::less<>> members_;  // by pg_name
  std::map<Rank, bool> seen_;                                      // ranks of the source: whether they were taken
  std::map<Rank, Counts> counts_;                                  // by rank, which may be read again
};

}  // namespace convert
