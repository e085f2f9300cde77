// SPDX-License-Identifier: MIT
// Makes a set of some iterations of another one, once or again and again.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "config/workload/workload.h"
#include "core/diagnostic.h"
#include "passes/iterations/survey.h"
#include "passes/iterations/take.h"
#include "sets/classes/stand_ins.h"
#include "sets/derived/kept_ranks.h"
#include "sets/set_source.h"

namespace convert {

struct IterationOptions {
  std::int64_t first = 0;  // as the program counts its iterations
  std::int64_t last = 0;
  bool medoid = false;  // in place of these, the iteration whose length is nearest the median
  std::uint64_t repeat = 1;
  unsigned jobs = 1;
};
// Returns what `which` says: "5", "3-5" or "medoid". Throws Error(usage) that names --iteration.
[[nodiscard]] IterationOptions iteration_options(const std::string& which);

// Keeps at most one rank for each thread in memory, and its iterations one after the other; a stream as a whole. Of
// a set that is held by classes, one rank of each class is worked on, and the result is held so too.
class IterationSet : public SetSource {
 public:
  // Reads all ranks, finds their iterations and checks that they are the same. Throws Error(input) [iterations] if
  // there are none, ranks disagree, tags of copies leave 31 bits, or a rank would have too many nodes; Error(usage)
  // on iterations that there are not.
  IterationSet(SetSource& source, IterationOptions options);
  ~IterationSet() override;

  [[nodiscard]] std::string base_name() const override { return source_.base_name(); }
  [[nodiscard]] bool many() override { return surveys_.size() > 1; }
  [[nodiscard]] bool whole_set() override { return source_.whole_set(); }
  [[nodiscard]] std::size_t independent_ranks() const override { return surveys_.size(); }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override { return source_.groups(); }
  [[nodiscard]] bool groups_come_late() const override { return source_.groups_come_late(); }
  [[nodiscard]] bool has_subgroups() const override { return source_.has_subgroups(); }
  [[nodiscard]] const WorldSizes* world_sizes() const override { return source_.world_sizes(); }
  [[nodiscard]] const MasterSet* master() const override { return made_ ? &*made_ : nullptr; }

  // Returns the counts of all ranks read so far.
  [[nodiscard]] TakenCounts counts() const;
  // Returns lines for people: how the iterations were found, which are taken.
  [[nodiscard]] std::vector<std::string> description() const;
  // Returns what repeating changes: how far the recorded iterations differ. Nothing if they do not.
  [[nodiscard]] std::optional<std::string> spread() const;

 private:
  class Reader;
  [[nodiscard]] Iterations find(const Trace& trace) const;
  void survey(unsigned jobs);
  [[nodiscard]] IterationSurvey survey_rank(const Trace& trace) const;
  void survey_classes();
  [[nodiscard]] std::uint64_t nodes_of(const IterationSurvey& s) const;
  void check_room() const;
  void make_classes();
  [[nodiscard]] Error none_found() const;
  void check_told_steps(std::size_t found) const;
  void choose(const IterationOptions& options);
  void choose_medoid();
  void choose_steps(std::uint64_t repeat);
  void choose_tag_step(const std::vector<std::int64_t>& tags);
  [[nodiscard]] std::int64_t length_ns(std::size_t iteration) const;

  SetSource& source_;
  KeptRanks ranks_;
  std::optional<StandIns> stand_ins_;  // of a set by classes
  std::optional<MasterSet> made_;      // of that
  std::optional<Workload> told_;       // what the metadata say; its steps are those taken
  bool marked_ = false;
  std::size_t periods_ = 0;  // of the first rank, if it is not marked
  std::vector<IterationSurvey> surveys_;
  TakenIterations taken_;
  mutable std::mutex mutex_;
  TakenCounts counts_;
};

}  // namespace convert
