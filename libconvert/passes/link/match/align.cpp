// SPDX-License-Identifier: MIT
#include "passes/link/match/align.h"

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "core/trace.h"

namespace convert {
namespace {

// Hash of several consecutive tokens, and their position.
struct Gram {
  std::uint64_t hash = 0;
  std::uint32_t at = 0;
  auto operator<=>(const Gram&) const = default;
};

std::uint64_t gram_hash(Tokens tokens) {
  std::uint64_t hash = 0x9e3779b97f4a7c15U;
  for (const std::uint32_t t : tokens) {
    hash = (hash ^ t) * 0xff51afd7ed558ccdU;
    hash ^= hash >> 32U;
  }
  return hash;
}

std::vector<Gram> sorted_grams(Tokens tokens, std::size_t length) {
  std::vector<Gram> grams;
  if (tokens.size() < length) return grams;
  grams.reserve(tokens.size() - length + 1);
  for (std::size_t i = 0; i + length <= tokens.size(); ++i)
    grams.push_back({gram_hash(tokens.subspan(i, length)), static_cast<std::uint32_t>(i)});
  std::sort(grams.begin(), grams.end());
  return grams;
}

// Drops pairs, given in the order of a, that do not ascend in b.
void keep_ascending(std::vector<TokenPair>& pairs) {
  std::vector<std::uint32_t> values;
  values.reserve(pairs.size());
  for (const TokenPair& p : pairs) values.push_back(p.b);
  std::vector<TokenPair> kept;
  for (const std::uint32_t i : longest_ascending(values)) kept.push_back(pairs[i]);
  pairs.swap(kept);
}

// Runs E. W. Myers' greedy algorithm (An O(ND) Difference Algorithm) piece by piece: after `most_edits` edits, it
// keeps the path that got farthest and begins the next piece there.
class Myers {
 public:
  // Skips the first `begin` tokens of both.
  Myers(Tokens a, Tokens b, std::size_t begin, std::vector<TokenPair>& out)
      : a_(a), b_(b), out_(out), at_a_(static_cast<int>(begin)), at_b_(static_cast<int>(begin)) {}

  void run() {
    while (at_a_ < size(a_) && at_b_ < size(b_)) piece();
  }

 private:
  static constexpr int most_edits = 64;
  static int size(Tokens t) { return static_cast<int>(t.size()); }

  void piece();
  [[nodiscard]] int& reached(int edits, int diagonal) {
    return reached_[static_cast<std::size_t>(edits * edits + edits + diagonal)];
  }
  [[nodiscard]] int came_from(int edits, int diagonal);
  void take_path(int edits, int diagonal);

  Tokens a_, b_;
  std::vector<TokenPair>& out_;
  int at_a_, at_b_;
  std::vector<int> reached_;  // by edits and diagonal, how far in a: 2 * edits + 1 diagonals each, unused ones -1
};

// Returns the neighbouring diagonal from which one edit leads farthest to this one, or `diagonal`.
int Myers::came_from(int edits, int diagonal) {
  int below = diagonal == -edits ? -1 : reached(edits - 1, diagonal - 1);
  int above = diagonal == edits ? -1 : reached(edits - 1, diagonal + 1);
  if (below == size(a_) - at_a_) below = -1;                   // no token of a is left to skip
  if (above - (diagonal + 1) == size(b_) - at_b_) above = -1;  // no token of b is left to skip
  if (below < 0 && above < 0) return diagonal;
  return above > below ? diagonal + 1 : diagonal - 1;
}

void Myers::piece() {
  const int n = size(a_) - at_a_, m = size(b_) - at_b_;
  int best_edits = 0, best_diagonal = 0, best = -1;
  bool done = false;
  for (int edits = 0; edits <= most_edits && !done; ++edits) {
    reached_.resize(static_cast<std::size_t>((edits + 1) * (edits + 1)));
    for (int diagonal = -edits; diagonal <= edits; ++diagonal) reached(edits, diagonal) = -1;
    for (int diagonal = -edits; diagonal <= edits && !done; diagonal += 2) {
      int x = 0;
      if (edits > 0) {
        const int from = came_from(edits, diagonal);
        if (from == diagonal) continue;
        x = reached(edits - 1, from) + (from < diagonal ? 1 : 0);
      }
      int y = x - diagonal;
      while (x < n && y < m && a_[static_cast<std::size_t>(at_a_ + x)] == b_[static_cast<std::size_t>(at_b_ + y)])
        ++x, ++y;
      reached(edits, diagonal) = x;
      if (x + y > best) best = x + y, best_edits = edits, best_diagonal = diagonal;
      done = x == n && y == m;
    }
  }
  take_path(best_edits, best_diagonal);
}

void Myers::take_path(int edits, int diagonal) {
  const int end_a = reached(edits, diagonal), end_b = end_a - diagonal;
  const std::size_t first = out_.size();
  for (;;) {
    int x = reached(edits, diagonal), from = 0, begin = 0;
    if (edits > 0) {
      from = came_from(edits, diagonal);
      begin = reached(edits - 1, from) + (from < diagonal ? 1 : 0);
    }
    for (; x > begin; --x) {
      out_.push_back(
          {static_cast<std::uint32_t>(at_a_ + x - 1), static_cast<std::uint32_t>(at_b_ + x - diagonal - 1)});
    }
    if (edits == 0) break;
    --edits;
    diagonal = from;
  }
  std::reverse(out_.begin() + static_cast<std::ptrdiff_t>(first), out_.end());
  at_a_ += end_a;
  at_b_ += end_b;
}

}  // namespace

std::vector<std::uint32_t> longest_ascending(std::span<const std::uint32_t> values) {
  std::vector<std::uint32_t> ends;  // by length: end of the subsequence with the least last value
  std::vector<std::uint32_t> before(values.size(), no_index);
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    const auto at = std::ranges::lower_bound(ends, values[i], {}, [&](std::uint32_t e) { return values[e]; });
    if (at != ends.begin()) before[i] = *std::prev(at);
    if (at == ends.end()) {
      ends.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<std::uint32_t> out(ends.size());
  std::uint32_t i = ends.empty() ? no_index : ends.back();
  for (auto to = out.rbegin(); to != out.rend(); ++to, i = before[i]) *to = i;
  return out;
}

// Pairs the common prefix and suffix; only the rest is passed to Myers.
std::vector<TokenPair> align(Tokens a, Tokens b) {
  std::vector<TokenPair> out;
  std::size_t head = 0, tail = 0;
  const std::size_t shorter = std::min(a.size(), b.size());
  while (head < shorter && a[head] == b[head]) ++head;
  while (head + tail < shorter && a[a.size() - tail - 1] == b[b.size() - tail - 1]) ++tail;
  out.reserve(shorter);
  const auto add = [&](std::size_t i, std::size_t j) {
    out.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
  };
  for (std::size_t i = 0; i < head; ++i) add(i, i);
  Myers(a.first(a.size() - tail), b.first(b.size() - tail), head, out).run();
  for (; tail > 0; --tail) add(a.size() - tail, b.size() - tail);
  return out;
}

namespace {

// Vote that a run (`row`) of tokens of a occurs in b, shifted by `distance`. If b contains a unchanged, all runs
// vote alike.
struct Vote {
  std::int64_t distance = 0;  // position in b less the position in a
  std::uint32_t row = 0;      // number of the run
  std::uint32_t a = 0;
  [[nodiscard]] std::uint32_t b() const { return static_cast<std::uint32_t>(distance + a); }
};

// Returns the votes, by distance, of runs that are spread evenly over a; of the rarest runs if there are too many.
std::vector<Vote> votes_of_rows(Tokens a, Tokens b, std::size_t length) {
  constexpr std::size_t most_rows = 128;
  const std::vector<Gram> of_b = sorted_grams(b, length);
  if (of_b.empty() || a.size() < length) return {};
  struct Row {
    std::uint32_t at;
    std::vector<Gram>::const_iterator begin, end;
    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(end - begin); }
  };
  std::vector<Row> rows;
  const std::size_t last = a.size() - length, count = std::min(most_rows, last + 1);
  for (std::size_t r = 0; r < count; ++r) {
    const std::size_t at = count == 1 ? 0 : last * r / (count - 1);
    const std::uint64_t hash = gram_hash(a.subspan(at, length));
    const auto begin = std::lower_bound(of_b.begin(), of_b.end(), Gram{hash, 0});
    const auto end = std::upper_bound(begin, of_b.end(), Gram{hash, 0xffffffff});
    if (begin != end && a[at] == b[begin->at]) rows.push_back({static_cast<std::uint32_t>(at), begin, end});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& x, const Row& y) { return x.count() < y.count(); });
  const std::size_t most_votes = std::max(std::size_t{1} << 18U, a.size() + b.size());
  std::vector<Vote> votes;
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    if (r > 0 && votes.size() + rows[r].count() > most_votes) break;
    for (auto g = rows[r].begin; g != rows[r].end; ++g) {
      votes.push_back({static_cast<std::int64_t>(g->at) - static_cast<std::int64_t>(rows[r].at), r, rows[r].at});
    }
  }
  std::ranges::sort(votes, {}, [](const Vote& v) { return std::pair(v.distance, v.row); });
  return votes;
}

// Returns for each vote the number of runs that vote for a distance from its own up to less than `width` more.
std::vector<std::uint32_t> rows_within(const std::vector<Vote>& votes, std::int64_t width) {
  std::vector<std::uint32_t> rows(votes.size()), of_row;
  std::uint32_t different = 0;
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < votes.size(); ++begin) {
    for (; end < votes.size() && votes[end].distance < votes[begin].distance + width; ++end) {
      if (votes[end].row >= of_row.size()) of_row.resize(votes[end].row + 1);
      if (of_row[votes[end].row]++ == 0) ++different;
    }
    rows[begin] = different;
    if (--of_row[votes[begin].row] == 0) --different;
  }
  return rows;
}

// Counts the places that contain all of the shorter sequence and have at least 9/10 of the runs of `best`. Places
// near `best`, or near the last counted place, are shifted copies (for example by a layer of a model). They count,
// as one more place, only if one has as many runs as `best`.
std::size_t count_alike(const std::vector<Vote>& votes, const std::vector<std::uint32_t>& rows, std::size_t best,
                        std::int64_t n, std::int64_t m) {
  const std::int64_t apart = std::max<std::int64_t>(std::min(n, m) / 2, 1);
  std::size_t count = 1;
  bool shifted = false, any = false;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < votes.size(); ++i) {
    const std::int64_t d = votes[i].distance, away = std::abs(d - votes[best].distance);
    const bool whole = n <= m ? d >= 0 && d <= m - n : d <= 0 && d >= m - n;
    if (!whole || away == 0 || rows[i] * 10ULL < rows[best] * 9ULL) continue;
    shifted = shifted || rows[i] >= rows[best];
    if (away < apart || (any && d - last < apart)) continue;
    any = true;
    last = d;
    ++count;
  }
  return std::max<std::size_t>(count, shifted ? 2 : 1);
}

Alignment place_of(const std::vector<Vote>& votes, std::int64_t n, std::int64_t m) {
  // Operators that only one side has shift the others a little.
  const std::int64_t width = std::clamp<std::int64_t>(std::min(n, m) / 16, 1, 64);
  const std::vector<std::uint32_t> rows = rows_within(votes, width), exact = rows_within(votes, 1);
  const auto best = static_cast<std::size_t>(std::max_element(rows.begin(), rows.end()) - rows.begin());
  std::size_t at = best;
  for (std::size_t i = best; i < votes.size() && votes[i].distance < votes[best].distance + width; ++i) {
    if (exact[i] > exact[at]) at = i;
  }
  const std::int64_t distance = votes[at].distance;
  Alignment place{.pairs = {}, .alike = count_alike(votes, exact, at, n, m)};
  std::unordered_map<std::uint32_t, Vote> nearest;  // by run: the vote nearest to the distance
  for (const Vote& v : votes) {
    if (std::abs(v.distance - distance) > width) continue;
    const auto [known, added] = nearest.try_emplace(v.row, v);
    if (!added && std::abs(v.distance - distance) < std::abs(known->second.distance - distance)) known->second = v;
  }
  for (const auto& [row, v] : nearest) place.pairs.push_back({v.a, v.b()});
  std::ranges::sort(place.pairs, {}, &TokenPair::a);
  keep_ascending(place.pairs);
  return place;
}

}  // namespace

Alignment find_place(Tokens a, Tokens b) {
  for (const std::size_t length : {16U, 4U, 1U}) {
    const std::vector<Vote> votes = votes_of_rows(a, b, length);
    if (!votes.empty())
      return place_of(votes, static_cast<std::int64_t>(a.size()), static_cast<std::int64_t>(b.size()));
  }
  return {};
}

}  // namespace convert
