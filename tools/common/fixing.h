// SPDX-License-Identifier: MIT
// What was repaired in the ranks of a set, for standard error.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "core/trace.h"
#include "passes/fix.h"

namespace tools {

class Fixing {
 public:
  // Thread-safe, in any order.
  void add(const convert::Trace& head, const convert::Fixes& fixes);
  // Whether nothing was repaired, or left.
  [[nodiscard]] bool empty() const { return ranks_.empty(); }
  // One line for all ranks; with -v one more for each rank in which something was repaired.
  // `written`: the result is valid, and goes out.
  void report(bool written) const;

 private:
  struct OfRank {
    std::string name;
    convert::Fixes fixes;
  };
  std::mutex mutex_;
  std::map<convert::Rank, OfRank> ranks_;  // those with repairs, or something left
  convert::Fixes all_;
};

}  // namespace tools
