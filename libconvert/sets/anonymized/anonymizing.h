// SPDX-License-Identifier: MIT
// Makes a set that can be given away of one that tells too much.
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

// Reads all ranks twice: for what they must know of each other, and to write. Keeps at most one rank for each
// thread in memory. Of a set that is held by classes one rank of each is worked on, and the result is held so too,
// unless ranks of a class become different ones.
class AnonymizedSet final : public SetSource {
 public:
  // `source` must outlive this object. Throws Error(input) where the set cannot be read, or has a rank twice.
  AnonymizedSet(KeptSet& source, AnonymizeOptions options, KeyedHash hash, unsigned jobs);

  // Returns a name that tells nothing: it begins the names of files in archives.
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
  std::vector<RankSurvey> surveys_;  // by rank of the source; by stand-in of a set by classes
  std::vector<Rank> ranks_;          // of the source, in its order
  std::vector<std::size_t> order_;   // by place: the rank of the source
  std::vector<CommGroup> groups_;    // after
  bool has_groups_ = false;
  std::optional<MasterSet> made_;  // of a set by classes
  mutable std::mutex mutex_;
  std::map<Rank, AnonymizeCounts> counts_;         // by rank, which may be read again
  std::vector<std::unique_ptr<NameHider>> names_;  // that no reader has now: ranks have many names in common
};

}  // namespace convert
