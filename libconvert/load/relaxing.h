// SPDX-License-Identifier: MIT
// A set whose ranks wait for each other in a circle, and the set without what makes them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "load/set_source.h"
#include "passes/relax.h"

namespace convert {

// Reads all ranks, and finds what to take out; nothing where they are not the ranks 0…n-1. Holds a compact summary
// of every rank, and its times.
[[nodiscard]] Relaxation find_relaxation(SetSource& source, unsigned jobs);

// The set without these dependencies.
class RelaxedSource : public SetSource {
 public:
  // Both must outlive this object.
  RelaxedSource(SetSource& from, const Cuts& cuts) : from_(from), cuts_(cuts) {}

  [[nodiscard]] std::string base_name() const override { return from_.base_name(); }
  [[nodiscard]] bool many() override { return from_.many(); }
  [[nodiscard]] bool whole_set() override { return from_.whole_set(); }
  [[nodiscard]] std::size_t independent_ranks() const override { return from_.independent_ranks(); }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override { return from_.groups(); }
  [[nodiscard]] bool groups_come_late() const override { return from_.groups_come_late(); }
  [[nodiscard]] bool has_subgroups() const override { return from_.has_subgroups(); }
  [[nodiscard]] std::optional<Rank> world() const override { return from_.world(); }
  [[nodiscard]] bool follows_reference() const override { return from_.follows_reference(); }

 private:
  SetSource& from_;
  const Cuts& cuts_;
};

}  // namespace convert
