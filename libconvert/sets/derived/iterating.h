// SPDX-License-Identifier: MIT
// Set of some iterations of another set, optionally repeated.
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
  std::int64_t first = 0;  // in the program's numbering
  std::int64_t last = 0;
  bool medoid = false;  // instead, the iteration whose length is nearest the median
  std::uint64_t repeat = 1;
  unsigned jobs = 1;
};
// Parses "5", "3-5" or "medoid". Throws Error(usage) about --iteration.
[[nodiscard]] IterationOptions iteration_options(const std::string& which);

// Keeps at most one rank per thread in memory, and its iterations in sequence; a stream is kept as a whole. In a
// class-compressed set one rank of each class is processed, and the result is class-compressed, too.
class IterationSet : public SetSource {
 public:
  // Reads all ranks, finds their iterations and checks that they agree. Throws Error(input) [iterations] if there
  // are no iterations, ranks disagree, tags of copies exceed 31 bits, or a rank would have too many nodes;
  // Error(usage) for iterations that do not exist.
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
  // Returns lines for users: how the iterations were found, and which are kept.
  [[nodiscard]] std::vector<std::string> description() const;
  // Returns the error of repeating: the spread of the recorded iterations; nothing if they are equal.
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
  [[nodiscard]] std::size_t told_steps() const;
  void choose(const IterationOptions& options);
  void choose_medoid();
  void choose_steps(std::uint64_t repeat);
  void choose_tag_step(const std::vector<std::int64_t>& tags);
  [[nodiscard]] std::int64_t length_ns(std::size_t iteration) const;

  SetSource& source_;
  KeptRanks ranks_;
  std::optional<StandIns> stand_ins_;  // of a class-compressed set
  std::optional<MasterSet> made_;      // result for a class-compressed set
  std::optional<Workload> told_;       // workload in the metadata, with the kept steps
  bool marked_ = false;
  std::size_t periods_ = 0;  // of the first rank, if its iterations are not marked
  std::vector<IterationSurvey> surveys_;
  TakenIterations taken_;
  mutable std::mutex mutex_;
  TakenCounts counts_;
};

}  // namespace convert
