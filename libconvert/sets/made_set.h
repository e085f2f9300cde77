// SPDX-License-Identifier: MIT
// Trace set that a program computes, for writing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "sets/set_source.h"

namespace convert {

class MadeSet : public SetSource {
 public:
  // A set of `ranks` ≥ 1 traces: rank r is make(r), which must be thread-safe. File names begin with `name`.
  MadeSet(std::string name, Rank ranks, std::function<Trace(Rank)> make);

  // Sets the algorithm of the ranks, which must outlive the set.
  void set_algorithm(const Algorithm& algorithm) { algorithm_ = &algorithm; }
  // Sets the schedule of the algorithm, which must outlive the set.
  void set_schedule(const Schedule& schedule) { schedule_ = &schedule; }
  // Sets the process groups, as the text of a groups file.
  void set_groups(std::string json) { groups_ = InputSet::Groups{name_ + ".groups.json", std::move(json)}; }
  // Sets whether writers must not add anything to the traces.
  void set_follows_reference(bool value) { follows_reference_ = value; }

  [[nodiscard]] std::string base_name() const override { return name_; }
  [[nodiscard]] bool many() override { return ranks_ > 1; }
  [[nodiscard]] std::size_t independent_ranks() const override { return ranks_; }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override { return groups_; }
  [[nodiscard]] const Algorithm* algorithm() const override { return algorithm_; }
  [[nodiscard]] const Schedule* schedule() const override { return schedule_; }
  [[nodiscard]] bool follows_reference() const override { return follows_reference_; }

 private:
  // Returns a reader of the ranks [next, end), each computed when it is read.
  [[nodiscard]] std::unique_ptr<TraceReader> open(Rank next, Rank end) const;
  std::string name_;
  Rank ranks_;
  std::function<Trace(Rank)> make_;
  std::optional<InputSet::Groups> groups_;
  const Algorithm* algorithm_ = nullptr;
  const Schedule* schedule_ = nullptr;
  bool follows_reference_ = false;
};

// Writes the traces, ranks 0…n-1 in order, as `prefix`.0.et … `prefix`.n-1.et, atomically, or as one document if
// the prefix has the suffix of another format. Throws Error, also if a set with this name and another size exists.
void write_traces(const std::vector<Trace>& traces, const std::string& prefix);

}  // namespace convert
