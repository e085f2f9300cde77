// SPDX-License-Identifier: MIT
// A set of traces that a program makes, for the sink.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "sets/set_source.h"

namespace convert {

class MadeSet : public SetSource {
 public:
  // Rank r is make(r), which must be thread-safe. `name` is the base of the files' names; ranks ≥ 1.
  MadeSet(std::string name, Rank ranks, std::function<Trace(Rank)> make);

  // The algorithm that the ranks come from; it must outlive the set.
  void set_algorithm(const Algorithm& algorithm) { algorithm_ = &algorithm; }
  // Nothing may be added to what is made.
  void set_follows_reference(bool value) { follows_reference_ = value; }

  [[nodiscard]] std::string base_name() const override { return name_; }
  [[nodiscard]] bool many() override { return ranks_ > 1; }
  [[nodiscard]] std::size_t independent_ranks() const override { return ranks_; }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override { return std::nullopt; }
  [[nodiscard]] const Algorithm* algorithm() const override { return algorithm_; }
  [[nodiscard]] bool follows_reference() const override { return follows_reference_; }

 private:
  // Ranks [next, end), each made when it is asked for.
  [[nodiscard]] std::unique_ptr<TraceReader> open(Rank next, Rank end) const;
  std::string name_;
  Rank ranks_;
  std::function<Trace(Rank)> make_;
  const Algorithm* algorithm_ = nullptr;
  bool follows_reference_ = false;
};

// Writes the traces, ranks 0…n-1 in order, as `prefix`.0.et … `prefix`.n-1.et, whole or not at all; a larger set of
// that name is refused. A prefix with the suffix of another format is a document of that format. Throws Error.
void write_traces(const std::vector<Trace>& traces, const std::string& prefix);

}  // namespace convert
