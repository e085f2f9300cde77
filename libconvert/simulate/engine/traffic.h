// SPDX-License-Identifier: MIT
// Counts the traffic of each pair of NPUs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/trace.h"

namespace convert {

struct PairTraffic {
  Rank src = 0;
  Rank dst = 0;
  std::int64_t bytes = 0;
  std::uint64_t messages = 0;
  bool exchange = false;  // for representatives: dst moves by XOR; see Symmetry
};

class Traffic {
 public:
  // Adds `messages` messages of `bytes` bytes in total.
  void add(Rank src, Rank dst, std::int64_t bytes, bool exchange, std::uint64_t messages = 1) {
    Sum& sum = sums_[(exchange ? exchanged : 0) | std::uint64_t{src} << 32U | dst];
    sum.bytes += bytes;  // at most the total of the NPU
    sum.messages += messages;
  }
  // Returns the sums by source, then by destination.
  [[nodiscard]] std::vector<PairTraffic> list() const {
    std::vector<PairTraffic> list;
    for (const auto& [key, sum] : sums_)
      list.push_back({static_cast<Rank>((key & ~exchanged) >> 32U), static_cast<Rank>(key), sum.bytes, sum.messages,
                      (key & exchanged) != 0});
    std::ranges::sort(list, {}, [](const PairTraffic& t) { return std::tuple(t.src, t.dst, t.exchange); });
    return list;
  }

 private:
  struct Sum {
    std::int64_t bytes = 0;
    std::uint64_t messages = 0;
  };
  static constexpr std::uint64_t exchanged = std::uint64_t{1} << 63U;
  std::unordered_map<std::uint64_t, Sum> sums_;  // by source and destination
};

}  // namespace convert
