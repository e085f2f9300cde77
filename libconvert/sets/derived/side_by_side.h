// SPDX-License-Identifier: MIT
// Joins independent sets into one: the ranks of each follow those of the sets before it.
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
  // Reads sources that are streams, and keeps them in memory; all must outlive this object. Throws Error(input), as
  // readers do, unless the ranks of each are 0…n-1.
  SideBySide(std::vector<std::unique_ptr<TraceSource>>& sets, unsigned jobs);
  ~SideBySide() override;

  [[nodiscard]] std::string base_name() const override { return base_name_; }
  [[nodiscard]] bool many() override { return true; }
  [[nodiscard]] std::size_t independent_ranks() const override { return ranks_; }
  // Returns a reader that shifts comm_src and comm_dst with the ranks, numbers each set's group of all ranks, and
  // renumbers groups whose numbers an earlier set has. It drops the metadata of the algorithm of which a rank is a
  // part (collective, msccl.*, ten.*), since the set is no longer that algorithm alone.
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override { return groups_; }

  [[nodiscard]] std::size_t sets() const { return sets_.size(); }
  // Warns of algorithms beside a workload, or throws Error(usage) unless they are `allowed`: users mostly want an
  // algorithm to replace the workload's collectives. `operands`: the user's names of the sets.
  void check_algorithms(const std::vector<std::string>& operands, bool allowed, Diagnostics& diagnostics) const;

 private:
  class Reader;
  struct Set {
    TraceSource* source = nullptr;
    std::vector<Trace> held{};  // of a source that can be read once only
    Rank first = 0;
    Rank ranks = 0;
    std::string world{};                          // the number of its group of all ranks
    std::map<std::string, std::string> groups{};  // its numbers, and what they are now
  };
  void number_groups();
  // Returns the collective that a set says it computes; empty: it is a workload.
  [[nodiscard]] std::string collective(std::size_t set) const;
  [[nodiscard]] const Set& set_of(std::size_t rank) const;

  std::vector<Set> sets_;
  Rank ranks_ = 0;
  std::string base_name_;
  InputSet::Groups groups_;
};

}  // namespace convert
