// SPDX-License-Identifier: MIT
// Writes and reads profiles as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "profile/workload_profile.h"

namespace convert {

inline constexpr std::size_t max_profile_bytes = std::size_t{1} << 30;

// Returns the text of a profile: an object with a key for each table, of which each row is an array on its own line
// (json/fields.h).
[[nodiscard]] std::string profile_json(const WorkloadProfile& profile);

// Reads such a text. Throws Error(input) with the place: malformed JSON, a profile of another version, a row that
// is none, what check_profile() refuses, anything behind. `file`: its name.
[[nodiscard]] WorkloadProfile parse_profile(std::string_view text, const std::string& file);
// Reads one or more, one after the other, with any white space between them. Lines of errors are those of the text.
[[nodiscard]] std::vector<WorkloadProfile> parse_profiles(std::string_view text, const std::string& file);

inline constexpr std::uint64_t largest_rank_nodes = std::uint64_t{1} << 24;
// Throws Error(input) if parts of a profile do not fit together, or a rank that is drawn of it could have more than
// `largest_rank_nodes` nodes in an iteration. `where`: the profile.
void check_profile(const WorkloadProfile& profile, const Location& where);

}  // namespace convert
