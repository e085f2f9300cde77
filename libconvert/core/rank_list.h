// SPDX-License-Identifier: MIT
// Reads lists of ranks from options, and formats them for messages.
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

inline constexpr Rank most_listed_ranks = 1U << 24U;  // ranks from here on are rejected as typing errors

// Removes a rank without leading zeros from the beginning of `text` and returns it. If `text` begins with no rank
// or with a rank of at least most_listed_ranks, removes nothing and returns nothing.
[[nodiscard]] std::optional<Rank> take_leading_rank(std::string_view& text);

// Returns the ranks that an option lists as "0-3,8", ascending. Throws Error(usage) that names the option.
[[nodiscard]] std::vector<Rank> parse_ranks(const std::string& list, std::string_view option = "--ranks");

// The first rank, and the rank after the last.
using RankRange = std::pair<std::uint64_t, std::uint64_t>;

// Returns "rank 1", "ranks 0, 4-7", or, with more than eight ranges, "ranks 0, 2, … (20 in all)".
[[nodiscard]] std::string ranks_text(std::span<const RankRange> ranges);
[[nodiscard]] std::string ranks_text(std::span<const Rank> ranks);  // ascending

}  // namespace convert
