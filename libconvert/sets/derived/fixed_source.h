// SPDX-License-Identifier: MIT
// Repairs each trace of a set as it is read.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "passes/fix.h"
#include "sets/derived/derived_source.h"

namespace convert {

class FixedSource : public DerivedSource {
 public:
  // Called by several threads, with each rank and its repairs, after the whole rank was read.
  using OnFixed = std::function<void(const Trace& head, const Fixes&)>;

  // `from`, which must not be an algorithm, must outlive this object.
  FixedSource(SetSource& from, OnFixed on_fixed) : DerivedSource(from), on_fixed_(std::move(on_fixed)) {}

 private:
  [[nodiscard]] std::unique_ptr<TraceReader> wrap(std::unique_ptr<TraceReader> reader) const override;

  OnFixed on_fixed_;
};

}  // namespace convert
