// SPDX-License-Identifier: MIT
// Changes the times of nodes: scales them, each by a secret share, and rounds them.
#pragma once

#include <cstdint>

#include "core/trace.h"
#include "passes/anonymize/options.h"

namespace convert {

class TimeRule {
 public:
  // Both must outlive this object.
  TimeRule(const AnonymizeOptions& options, const KeyedHash& hash) : options_(options), hash_(hash) {}

  // Returns the factor of a node, from 1 - jitter to 1 + jitter: that of its rank and its place in it.
  [[nodiscard]] double factor(Rank rank, std::uint64_t place) const;
  // Returns a time with that factor. It differs from the scaled time by the jitter's share of it at most, exactly,
  // before it is rounded to significant digits.
  [[nodiscard]] std::uint64_t changed(std::uint64_t time, double factor) const;
  // Returns a start, which has no factor of its own.
  [[nodiscard]] std::uint64_t changed_start(std::uint64_t time) const;

 private:
  const AnonymizeOptions& options_;
  const KeyedHash& hash_;
};

// Returns by which share of itself a sum of such times differs from the scaled one at most.
[[nodiscard]] double time_bound(const AnonymizeOptions& options);

}  // namespace convert
