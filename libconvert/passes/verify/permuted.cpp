// SPDX-License-Identifier: MIT
#include "passes/verify/postcondition.h"

namespace convert {
namespace {

// Returns the owner of each chunk of the output, or an empty list if it cannot be determined.
std::vector<std::int32_t> owners(const StepGraph& p) {
  const auto ranks = static_cast<std::size_t>(p.ranks());
  const auto chunks = static_cast<std::size_t>(p.chunks);
  std::uint64_t moved = 0;
  for (const GraphStep& s : p.steps) moved += static_cast<std::uint64_t>(s.cnt);
  if (moved < static_cast<std::uint64_t>(ranks - 1) * chunks) return {};  // also bounds the table
  std::vector<bool> received(ranks * chunks);
  for (const Chain& c : p.chains) {
    for (std::uint32_t i = c.first; i < c.first + c.count; ++i) {
      const GraphStep& s = p.steps[i];
      if ((reads_src(s.type) && s.src_buf == Buffer::input) || (writes_dst(s.type) && s.dst_buf == Buffer::input)) {
        return {};
      }
      if (!receives(s.type) || s.dst_buf != Buffer::output) continue;
      for (std::int32_t j = 0; j < s.cnt; ++j) {
        const std::int64_t at = std::int64_t{s.dst_off} + j;
        if (at < 0 || at >= p.chunks) return {};
        received[static_cast<std::size_t>(c.rank) * chunks + static_cast<std::size_t>(at)] = true;
      }
    }
  }
  std::vector<std::int32_t> out(chunks, -1);
  for (std::size_t o = 0; o < chunks; ++o) {
    for (std::size_t r = 0; r < ranks; ++r) {
      if (received[r * chunks + o]) continue;
      if (out[o] != -1) return {};
      out[o] = static_cast<std::int32_t>(r);
    }
    if (out[o] == -1) return {};
  }
  return out;
}

}  // namespace

std::optional<Permutation> find_permutation(const StepGraph& graph) {
  if (graph.collective != Collective::all_gather || !graph.inplace || graph.ranks() < 2 ||
      graph.chunks % graph.ranks() != 0) {
    return std::nullopt;
  }
  const std::vector<std::int32_t> owner = owners(graph);
  if (owner.empty()) return std::nullopt;
  const std::int32_t each = graph.chunks / graph.ranks();
  std::vector<std::int32_t> next(static_cast<std::size_t>(graph.ranks()), 0);
  Permutation out{.belongs = {}, .rounds_first = true};
  bool in_place = true;
  for (std::int32_t o = 0; o < graph.chunks; ++o) {
    const std::int32_t rank = owner[static_cast<std::size_t>(o)];
    const std::int32_t k = next[static_cast<std::size_t>(rank)]++;
    if (k == each) return std::nullopt;
    out.belongs.push_back(rank * each + k);
    out.rounds_first = out.rounds_first && rank == o % graph.ranks();
    in_place = in_place && out.belongs.back() == o;
  }
  return in_place ? std::nullopt : std::optional(std::move(out));
}

std::optional<StepGraph> with_chunks_in_place(const StepGraph& graph, const Permutation& permutation) {
  StepGraph out = graph;
  bool in_a_row = true;
  const auto move = [&](std::int32_t& offset, std::int32_t count) {
    const std::int32_t first = offset;
    if (first < 0 || std::int64_t{first} + count > graph.chunks) return;
    const auto* const to = permutation.belongs.data() + first;
    for (std::int32_t j = 1; j < count; ++j) in_a_row = in_a_row && to[j] == to[0] + j;
    if (count > 0) offset = to[0];
  };
  for (GraphStep& s : out.steps) {
    if (s.src_buf == Buffer::output) move(s.src_off, s.cnt);
    if (s.dst_buf == Buffer::output) move(s.dst_off, s.cnt);
  }
  return in_a_row ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace convert
