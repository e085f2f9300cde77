// SPDX-License-Identifier: MIT
// Breaks cycles in which the ranks of a set wait for each other.
#pragma once

#include <memory>

#include "passes/relax.h"
#include "sets/derived/derived_source.h"

namespace convert {

// Reads all ranks and returns the dependencies to remove; none unless the ranks are 0…n-1. Keeps a compact summary
// of every rank, and its times.
[[nodiscard]] Relaxation find_relaxation(SetSource& source, unsigned jobs);

// Set without the dependencies in `cuts`.
class RelaxedSource : public DerivedSource {
 public:
  // Both must outlive this object.
  RelaxedSource(SetSource& from, const Cuts& cuts) : DerivedSource(from), cuts_(cuts) {}

  [[nodiscard]] bool follows_reference() const override { return from_.follows_reference(); }

 private:
  [[nodiscard]] std::unique_ptr<TraceReader> wrap(std::unique_ptr<TraceReader> reader) const override;

  const Cuts& cuts_;
};

}  // namespace convert
