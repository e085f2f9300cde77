// SPDX-License-Identifier: MIT
// A set of traces, each repaired as it is read.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "load/set_source.h"
#include "passes/fix.h"

namespace convert {

class FixedSource : public SetSource {
 public:
  // Called with each rank and what was repaired in it when all of it was read, by several threads.
  using OnFixed = std::function<void(const Trace& head, const Fixes&)>;

  // `from` must outlive this object, and be no algorithm.
  FixedSource(SetSource& from, OnFixed on_fixed) : from_(from), on_fixed_(std::move(on_fixed)) {}

  [[nodiscard]] std::string base_name() const override { return from_.base_name(); }
  [[nodiscard]] bool many() override { return from_.many(); }
  [[nodiscard]] bool whole_set() override { return from_.whole_set(); }
  [[nodiscard]] std::size_t independent_ranks() const override { return from_.independent_ranks(); }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override { return from_.groups(); }
  [[nodiscard]] bool groups_come_late() const override { return from_.groups_come_late(); }
  [[nodiscard]] bool has_subgroups() const override { return from_.has_subgroups(); }

 private:
  SetSource& from_;
  OnFixed on_fixed_;
};

}  // namespace convert
