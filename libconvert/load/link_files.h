// SPDX-License-Identifier: MIT
// The files of many ranks by one pattern: host.%r.json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/trace.h"
#include "io/set_path.h"

namespace convert {

// "host.3.json" of "host.%r.json"; %% is a percent sign.
[[nodiscard]] std::string file_of_rank(const std::string& pattern, Rank rank);
[[nodiscard]] bool has_rank(const std::string& pattern);
inline constexpr Rank most_linked_ranks = 1U << 24U;
// Ranks for which the pattern names a file, ascending. Throws Error(usage) if there is none, or if one is missing
// between them, which it names. Files that are nearly ranks ("host.07.json") are added to `near`.
[[nodiscard]] std::vector<Rank> find_ranks(const std::string& pattern, NearRanks& near);
// The same without these rules, and nothing of a folder that cannot be listed.
[[nodiscard]] std::vector<Rank> ranks_with_file(const std::string& pattern);
// "0-3,8" as ranks, ascending. Throws Error(usage).
[[nodiscard]] std::vector<Rank> parse_ranks(const std::string& list);

}  // namespace convert
