// SPDX-License-Identifier: MIT
#include "simulate/symmetry/digits.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace convert {
namespace {

// Candidate positions for splitting rank numbers into digits, with their number of uses.
class Cuts {
 public:
  void add(std::uint64_t at) { ++met_[at]; }

  // Adds strides and sizes of ranks that are nested steps: for 0, 1, 8, 9 these are 1, 2, 8 and 16.
  void add_steps(std::span<const Rank> ranks) {
    std::size_t taken = 1;  // the first `taken` ranks are already split into steps
    while (taken < ranks.size() && ranks[taken] > ranks[0]) {
      const std::uint64_t stride = ranks[taken] - ranks[0];
      std::size_t count = 1;
      while (count * taken < ranks.size() && ranks[count * taken] == ranks[0] + count * stride) ++count;
      add(stride);
      add(stride * count);
      taken *= count;
    }
  }

  // Returns the candidates that divide each other and `known`, preferring candidates with most uses.
  [[nodiscard]] std::set<std::uint64_t> chain(std::set<std::uint64_t> known) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> by_use;
    for (const auto& [at, times] : met_) by_use.emplace_back(times, at);
    std::ranges::stable_sort(by_use, [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [times, at] : by_use) {
      const auto fits = [at = at](std::uint64_t other) { return at < other ? other % at == 0 : at % other == 0; };
      if (known.size() < most && at != 0 && std::ranges::all_of(known, fits)) known.insert(at);
    }
    return known;
  }

 private:
  static constexpr std::size_t most = 13;
  std::map<std::uint64_t, std::uint64_t> met_;
};

void add_groups(const ReplayProgram& program, Cuts& cuts) {
  for (std::size_t g = 1; g < program.groups.size(); ++g) {
    std::vector<Rank> ranks;
    for (const auto& [rank, place] : program.groups[g].places) ranks.push_back(rank);
    cuts.add_steps(ranks);
  }
}

// Adds the first change of code, and the distances of peers of the first rank of each code.
void add_ranks(const ReplayProgram& program, Cuts& cuts) {
  std::set<const RankCode*> seen;
  for (Rank r = 0; r < program.ranks.size(); ++r) {
    const RankProgram& rank = program.ranks[r];
    if (r != 0 && rank.code != program.ranks[r - 1].code && seen.size() == 1) cuts.add(r);
    if (!seen.insert(rank.code.get()).second) continue;
    const std::set<Rank> peers(rank.peers.begin(), rank.peers.end());
    for (const Rank peer : peers) cuts.add(peer > r ? peer - r : r - peer);
  }
}

}  // namespace

std::vector<RankDigit> rank_digits(const ReplayProgram& program, bool finer) {
  const std::vector<std::uint32_t>& dims = program.model.dims;
  std::set<std::uint64_t> cuts{1};
  std::uint64_t size = 1;
  for (const std::uint32_t npus : dims) cuts.insert(size *= npus);
  if (finer) {
    Cuts more;
    add_groups(program, more);
    add_ranks(program, more);
    cuts = more.chain(std::move(cuts));
  }
  std::vector<RankDigit> digits;
  std::uint64_t stride = 1;
  std::size_t dim = 0;
  std::uint64_t end = dims.empty() ? 1 : dims[0];  // of the dimension
  for (const std::uint64_t cut : cuts) {
    if (cut == 1 || cut > size) continue;
    while (stride >= end && dim + 1 < dims.size()) end *= dims[++dim];
    digits.push_back({.stride = static_cast<Rank>(stride),
                      .base = static_cast<std::uint32_t>(cut / stride),
                      .dim = dim,
                      .top = cut == end});
    stride = cut;
  }
  return digits;
}

}  // namespace convert
