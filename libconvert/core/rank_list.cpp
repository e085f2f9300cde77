// SPDX-License-Identifier: MIT
#include "core/rank_list.h"

#include <algorithm>
#include <charconv>

#include "core/diagnostic.h"

namespace convert {

std::optional<Rank> take_leading_rank(std::string_view& text) {
  Rank rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc() || (text[0] == '0' && end != text.data() + 1) || rank >= most_listed_ranks)
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return rank;
}

std::vector<Rank> parse_ranks(const std::string& list, std::string_view option) {
  const std::string given = std::string(option) + " " + list;
  const auto bad = [&] { return usage_error(given + ": expected ranks such as 0-3,8"); };
  std::vector<Rank> ranks;
  std::string_view rest = list;
  do {
    if (!ranks.empty()) rest.remove_prefix(1);
    const auto first = take_leading_rank(rest);
    auto last = first;
    if (first && rest.starts_with('-')) {
      rest.remove_prefix(1);
      last = take_leading_rank(rest);
    }
    if (!first || !last || *last < *first || (!rest.empty() && rest[0] != ',')) throw bad();
    for (Rank r = *first; r <= *last; ++r) ranks.push_back(r);
  } while (!rest.empty());
  std::ranges::sort(ranks);
  if (std::ranges::adjacent_find(ranks) != ranks.end()) throw usage_error(given + ": a rank is listed twice");
  return ranks;
}

std::string ranks_text(std::span<const RankRange> ranges) {
  constexpr std::size_t most_shown = 8;
  std::string text;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto [first, end] = ranges[i];
    count += end - first;
    if (i >= most_shown) continue;
    text += (i == 0 ? "" : ", ") + std::to_string(first) + (end - first > 1 ? "-" + std::to_string(end - 1) : "");
  }
  if (ranges.size() > most_shown) text += ", … (" + std::to_string(count) + " in all)";
  return (count == 1 ? "rank " : "ranks ") + text;
}

std::string ranks_text(std::span<const Rank> ranks) {
  std::vector<RankRange> ranges;
  for (const std::uint64_t r : ranks) {
    if (ranges.empty() || ranges.back().second != r) ranges.emplace_back(r, r);
    ranges.back().second = r + 1;
  }
  return ranks_text(ranges);
}

}  // namespace convert
