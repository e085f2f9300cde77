// SPDX-License-Identifier: MIT
// Changes the times of nodes: scales them, varies each by a secret factor, and rounds them.
#pragma once

#include <cstdint>

#include "core/trace.h"
#include "passes/anonymize/options.h"

namespace convert {

class TimeRule {
 public:
  // Both arguments must outlive this object.
  TimeRule(const AnonymizeOptions& options, const KeyedHash& hash) : options_(options), hash_(hash) {}

  // Returns the factor of a node, from 1 - jitter to 1 + jitter. It depends on the rank and on the node's position.
  [[nodiscard]] double factor(Rank rank, std::uint64_t place) const;
  // Returns a time with that factor. It differs from the scaled time by at most the jitter's share, exactly, before
  // it is rounded to significant digits.
  [[nodiscard]] std::uint64_t changed(std::uint64_t time, double factor) const;
  // Returns a start, which is only scaled.
  [[nodiscard]] std::uint64_t changed_start(std::uint64_t time) const;

 private:
  const AnonymizeOptions& options_;
  const KeyedHash& hash_;
};

// Returns the largest relative difference between a sum of changed times and the sum of scaled times.
[[nodiscard]] double time_bound(const AnonymizeOptions& options);

}  // namespace convert
