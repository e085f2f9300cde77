// SPDX-License-Identifier: MIT
// Joins independent sets into one: the ranks of each set follow the ranks of the previous sets.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sets/set_source.h"
#include "sets/source.h"

namespace convert {

class SideBySide : public SetSource {
 public:
  // Reads sources that are streams into memory; all sources must outlive this object. Throws Error(input), as
  // readers do, unless each set has the ranks 0…n-1.
  SideBySide(std::vector<std::unique_ptr<TraceSource>>& sets, unsigned jobs);
  ~SideBySide() override;

  [[nodiscard]] std::string base_name() const override { return base_name_; }
  [[nodiscard]] bool many() override { return true; }
  [[nodiscard]] std::size_t independent_ranks() const override { return ranks_; }
  // Returns a reader that shifts comm_src and comm_dst with the ranks, numbers each set's group of all ranks, and
  // renumbers groups whose numbers an earlier set uses. It drops the metadata of a rank's algorithm (collective,
  // msccl.*, ten.*), because the joined set is more than this algorithm.
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override { return groups_; }

  [[nodiscard]] std::size_t sets() const { return sets_.size(); }
  // Warns about algorithms beside a workload, or throws Error(usage) unless they are `allowed`: users usually
  // intend to replace the workload's collectives. `operands`: the user's names of the sets.
  void check_algorithms(const std::vector<std::string>& operands, bool allowed, Diagnostics& diagnostics) const;

 private:
  class Reader;
  struct Set {
    TraceSource* source = nullptr;
    std::vector<Trace> held{};  // of a source that can be read only once
    Rank first = 0;
    Rank ranks = 0;
    std::string world{};                          // number of its group of all ranks
    std::map<std::string, std::string> groups{};  // old and new numbers of its groups
  };
  void number_groups();
  // Returns the collective in a set's metadata; empty for a workload.
  [[nodiscard]] std::string collective(std::size_t set) const;
  [[nodiscard]] const Set& set_of(std::size_t rank) const;

  std::vector<Set> sets_;
  Rank ranks_ = 0;
  std::string base_name_;
  InputSet::Groups groups_;
};

}  // namespace convert
