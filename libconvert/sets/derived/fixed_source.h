// SPDX-License-Identifier: MIT
// A set of traces, each repaired as it is read.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "passes/fix.h"
#include "sets/derived/derived_source.h"

namespace convert {

class FixedSource : public DerivedSource {
 public:
  // Called with each rank and what was repaired in it when all of it was read, by several threads.
  using OnFixed = std::function<void(const Trace& head, const Fixes&)>;

  // `from` must outlive this object, and be no algorithm.
  FixedSource(SetSource& from, OnFixed on_fixed) : DerivedSource(from), on_fixed_(std::move(on_fixed)) {}

  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;

 private:
  OnFixed on_fixed_;
};

}  // namespace convert
