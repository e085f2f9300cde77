// SPDX-License-Identifier: MIT
// Lists of ranks as text: read from options, shown in messages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace.h"

namespace convert {

inline constexpr Rank most_listed_ranks = 1U << 24U;  // a higher number is taken for a slip

// Removes a rank without leading zeros from the beginning of `text` and returns it. Returns nothing, and removes
// nothing, where there is no rank, or one above most_listed_ranks.
[[nodiscard]] std::optional<Rank> take_rank(std::string_view& text);

// Returns the ranks that the option --ranks lists as "0-3,8", ascending. Throws Error(usage).
[[nodiscard]] std::vector<Rank> parse_ranks(const std::string& list);

// Ranks from the first to before the second.
using RankRange = std::pair<std::uint64_t, std::uint64_t>;

// Returns "rank 1", "ranks 0, 4-7", or "ranks 0, 2, … (20 in all)" where there are very many ranges.
[[nodiscard]] std::string ranks_text(std::span<const RankRange> ranges);
[[nodiscard]] std::string ranks_text(std::span<const Rank> ranks);  // ascending

}  // namespace convert
