// SPDX-License-Identifier: MIT
// Is one step ordered before another through any path, also across ranks?
#pragma once

#include <cstdint>
#include <vector>

#include "passes/verify/program.h"

namespace convert {

// Answers by search along chains, dependencies and messages (k-th send to k-th receive). FIFO back-pressure is no
// order.
class Reachability {
 public:
  explicit Reachability(const Program& program);
  // `from` completes before `to` starts, in every execution.
  [[nodiscard]] bool ordered(std::uint32_t from, std::uint32_t to);

 private:
  struct Out {
    std::uint32_t from;
    std::uint32_t to;
  };
  std::vector<Out> edges_;                  // by `from`: dependencies and messages to other chains
  std::vector<std::uint32_t> chain_begin_;  // first edge of each chain
  std::vector<std::uint32_t> best_;         // by chain: the earliest step reached in the current search
  std::vector<std::uint32_t> touched_;
  std::vector<std::uint32_t> chain_of_;  // by step
};

}  // namespace convert
