// SPDX-License-Identifier: MIT
// A set whose ranks wait for each other in a circle, and the set without what makes them.
#pragma once

#include <memory>

#include "passes/relax.h"
#include "sets/derived/derived_source.h"

namespace convert {

// Reads all ranks, and finds what to take out; nothing where they are not the ranks 0…n-1. Holds a compact summary
// of every rank, and its times.
[[nodiscard]] Relaxation find_relaxation(SetSource& source, unsigned jobs);

// The set without these dependencies.
class RelaxedSource : public DerivedSource {
 public:
  // Both must outlive this object.
  RelaxedSource(SetSource& from, const Cuts& cuts) : DerivedSource(from), cuts_(cuts) {}

  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override;
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override;
  [[nodiscard]] bool follows_reference() const override { return from_.follows_reference(); }

 private:
  const Cuts& cuts_;
};

}  // namespace convert
