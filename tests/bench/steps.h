// SPDX-License-Identifier: MIT
// A pass over the steps of an algorithm: the floor of proofs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/algorithm/algorithm.h"

namespace bench {

// Records for each chunk which step wrote it last, in the order of the steps. Returns a sum, so that the work is
// not optimised away.
inline std::uint64_t pass_over(const convert::Algorithm& a) {
  std::uint64_t sum = 0;
  std::vector<std::uint32_t> writers;
  for (const convert::Gpu& gpu : a.gpus) {
    const auto chunks = static_cast<std::size_t>(std::max({gpu.i_chunks, gpu.o_chunks, gpu.s_chunks}));
    writers.assign(3 * chunks, 0);
    const auto place = [&](convert::Buffer buffer, std::int32_t chunk) {
      return static_cast<std::size_t>(buffer) * chunks + static_cast<std::size_t>(chunk);
    };
    for (std::uint32_t tb = gpu.first_tb; tb < gpu.first_tb + gpu.tb_count; ++tb) {
      const std::uint32_t first = a.tbs[tb].first_step;
      for (std::uint32_t i = first; i < first + a.tbs[tb].step_count; ++i) {
        const convert::Step& s = a.steps[i];
        sum += writers[place(s.src_buf, s.src_off)];
        writers[place(s.dst_buf, s.dst_off)] = i;
      }
    }
  }
  return sum;
}

}  // namespace bench
