// SPDX-License-Identifier: MIT
// Small algorithms for tests, written as rows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/algorithm/algorithm.h"

namespace convert::test {

inline constexpr Buffer in = Buffer::input;
inline constexpr Buffer out = Buffer::output;
inline constexpr Buffer tmp = Buffer::scratch;

struct Row {
  StepType type;
  Buffer src_buf;
  std::int32_t src;
  Buffer dst_buf;
  std::int32_t dst;
  std::int32_t cnt = 1;
  std::int32_t depid = -1;
  std::int32_t deps = -1;
  bool hasdep = false;
};
struct Tb {
  std::int32_t send;
  std::int32_t recv;
  std::int32_t chan;
  std::vector<Row> rows;
};

// gpus[r] are rank r's threadblocks. Lines count from 1 in row order, so that findings can be distinguished.
inline Algorithm make_algorithm(Collective collective, std::int32_t chunks, bool inplace, std::int32_t i_chunks,
                                std::int32_t o_chunks, std::int32_t s_chunks,
                                const std::vector<std::vector<Tb>>& gpus) {
  Algorithm a;
  a.file = "test.xml";
  a.name = "test";
  a.collective = collective;
  a.collective_text = msccl_name(collective);
  a.protocol = Protocol::ll;
  a.channels = 32;
  a.chunks = chunks;
  a.inplace = inplace;
  std::uint32_t line = 0;
  for (const auto& tbs : gpus) {
    a.gpus.push_back({i_chunks,
                      o_chunks,
                      s_chunks,
                      static_cast<std::uint32_t>(a.tbs.size()),
                      static_cast<std::uint32_t>(tbs.size()),
                      {},
                      {},
                      0});
    for (const Tb& tb : tbs) {
      a.tbs.push_back({tb.send, tb.recv, tb.chan, static_cast<std::uint32_t>(a.steps.size()),
                       static_cast<std::uint32_t>(tb.rows.size()), 0});
      for (const Row& r : tb.rows) {
        a.steps.push_back(
            {r.type, r.src_buf, r.dst_buf, r.hasdep, false, r.src, r.dst, r.cnt, r.depid, r.deps, ++line, 1});
      }
    }
  }
  return a;
}

// In-place ring all-reduce of n ranks on one channel.
inline Algorithm ring(std::int32_t n) {
  using enum StepType;
  std::vector<std::vector<Tb>> gpus;
  for (std::int32_t r = 0; r < n; ++r) {
    Tb tb{(r + 1) % n, (r + n - 1) % n, 0, {}};
    for (std::int32_t s = 0; s < 2 * n - 1; ++s) {
      const std::int32_t k = ((r - s) % n + n) % n;
      const StepType type = s == 0 ? send : s < n - 1 ? rrs : s == n - 1 ? rrcs : s < 2 * n - 2 ? rcs : recv;
      tb.rows.push_back({type, Buffer::input, k, Buffer::input, k});
    }
    gpus.push_back({tb});
  }
  return make_algorithm(Collective::all_reduce, n, true, n, 0, 0, gpus);
}

// A step that moves both chunks of a rank's shard to the same offset.
inline Row part_of_two(StepType type, std::int32_t rank) {
  return {type, Buffer::input, 2 * rank, Buffer::input, 2 * rank, 2};
}

// Steps of rank 2 for the shard of rank 3: the sending step waits for the receiving one, in threadblock 1.
inline std::pair<Row, Row> passed_on_by_rank_2() {
  Row received = part_of_two(StepType::recv, 3), passed_on = part_of_two(StepType::send, 3);
  received.hasdep = true;
  passed_on.depid = 1;
  passed_on.deps = 0;
  return {received, passed_on};
}

// Gather of two chunks from each of four ranks to rank 1, in place; rank 2 forwards the chunks of rank 3.
inline Algorithm gather_over_two() {
  using enum StepType;
  const auto part = part_of_two;
  const auto [received, passed_on] = passed_on_by_rank_2();
  return make_algorithm(Collective::gather, 8, true, 8, 0, 0,
                        {{Tb{1, -1, 0, {part(send, 0)}}},
                         {Tb{-1, 0, 0, {part(recv, 0)}}, Tb{-1, 2, 0, {part(recv, 2), part(recv, 3)}}},
                         {Tb{1, -1, 0, {part(send, 2), passed_on}}, Tb{-1, 3, 0, {received}}},
                         {Tb{2, -1, 0, {part(send, 3)}}}});
}

// Scatter of two chunks to each of four ranks from rank 1, in place; rank 2 forwards the chunks for rank 3.
inline Algorithm scatter_over_two() {
  using enum StepType;
  const auto part = part_of_two;
  const auto [received, passed_on] = passed_on_by_rank_2();
  return make_algorithm(Collective::scatter, 8, true, 8, 0, 0,
                        {{Tb{-1, 1, 0, {part(recv, 0)}}},
                         {Tb{0, -1, 0, {part(send, 0)}}, Tb{2, -1, 0, {part(send, 3), part(send, 2)}}},
                         {Tb{3, -1, 0, {passed_on}}, Tb{-1, 1, 0, {received, part(recv, 2)}}},
                         {Tb{-1, 2, 0, {part(recv, 3)}}}});
}

}  // namespace convert::test
