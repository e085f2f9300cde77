// SPDX-License-Identifier: MIT
// Set derived from another set: changes each trace as it is read; keeps ranks, groups and their numbers.
#pragma once

#include <optional>
#include <string>

#include "sets/set_source.h"

namespace convert {

class DerivedSource : public SetSource {
 public:
  // `from` must outlive this object.
  explicit DerivedSource(SetSource& from) : from_(from) {}

  [[nodiscard]] std::string base_name() const override { return from_.base_name(); }
  [[nodiscard]] bool many() override { return from_.many(); }
  [[nodiscard]] bool whole_set() override { return from_.whole_set(); }
  [[nodiscard]] std::size_t independent_ranks() const override { return from_.independent_ranks(); }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override { return wrap(from_.open_rank(i)); }
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override { return wrap(from_.open_all()); }
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override { return from_.groups(); }
  [[nodiscard]] bool groups_come_late() const override { return from_.groups_come_late(); }
  [[nodiscard]] bool has_subgroups() const override { return from_.has_subgroups(); }
  [[nodiscard]] const WorldSizes* world_sizes() const override { return from_.world_sizes(); }

 protected:
  // Returns a reader that changes the traces of `reader`.
  [[nodiscard]] virtual std::unique_ptr<TraceReader> wrap(std::unique_ptr<TraceReader> reader) const = 0;

  SetSource& from_;
};

}  // namespace convert
