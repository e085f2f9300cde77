// SPDX-License-Identifier: MIT
// Anonymised copy of a set, without confidential names and sizes.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "config/groups.h"
#include "core/master/master_set.h"
#include "passes/anonymize/anonymize.h"
#include "sets/anonymized/kept_set.h"
#include "sets/set_source.h"

namespace convert {

// Reads all ranks twice: for a survey of all ranks, and to write. At most one rank per thread is in memory. In a
// class-compressed set one rank of each class is processed; the result is class-compressed, too, unless ranks of a
// class become different.
class AnonymizedSet final : public SetSource {
 public:
  // `source` must outlive this object. Throws Error(input) if the set cannot be read or a rank is repeated.
  AnonymizedSet(KeptSet& source, AnonymizeOptions options, KeyedHash hash, unsigned jobs);

  // Returns a neutral name, with which the file names in archives begin.
  [[nodiscard]] std::string base_name() const override { return "trace"; }
  [[nodiscard]] bool many() override { return source_.many(); }
  [[nodiscard]] bool whole_set() override { return source_.whole_set(); }
  [[nodiscard]] std::size_t independent_ranks() const override { return source_.independent_ranks(); }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override;
  [[nodiscard]] const WorldSizes* world_sizes() const override { return source_.world_sizes(); }
  [[nodiscard]] const MasterSet* master() const override { return made_ ? &*made_ : nullptr; }

  [[nodiscard]] const AnonymizePlan& plan() const { return plan_; }
  // Returns the counts of all ranks read so far.
  [[nodiscard]] AnonymizeCounts counts() const;

 private:
  class Reader;
  using Users = std::map<std::string, std::vector<Rank>, std::less<>>;  // ranks by the group that they name

  void survey_ranks(unsigned jobs);
  bool make_classes(const MasterSet& set);
  void number_groups(const Users& users);
  void number_ranks();
  [[nodiscard]] RankSurvey survey(std::size_t i) const;
  void add_sizes(Trace& trace, SizeCounts& to) const;
  [[nodiscard]] std::unique_ptr<NameHider> take_names();

  KeptSet& source_;
  AnonymizePlan plan_;
  std::vector<RankSurvey> surveys_;  // by rank of the source; by representative of a class-compressed set
  std::vector<Rank> ranks_;          // of the source, in its order
  std::vector<std::size_t> order_;   // by position: rank of the source
  std::vector<CommGroup> groups_;    // groups of the result
  bool has_groups_ = false;
  std::optional<MasterSet> made_;  // of a class-compressed set
  mutable std::mutex mutex_;
  std::map<Rank, AnonymizeCounts> counts_;         // by rank, which may be read again
  std::vector<std::unique_ptr<NameHider>> names_;  // not in use by a reader: ranks have many names in common
};

}  // namespace convert
