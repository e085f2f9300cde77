// SPDX-License-Identifier: MIT
// Profiles as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "profile/workload_profile.h"

namespace convert {

inline constexpr std::size_t max_profile_bytes = std::size_t{1} << 30;

// Returns the text of a profile: an object with a key for each table; each row is an array on its own line
// (json/fields.h).
[[nodiscard]] std::string profile_json(const WorkloadProfile& profile);

// Parses the text of a profile; `file` is its name. Throws Error(input) with the position for malformed JSON,
// another version, invalid rows, trailing text, or what check_profile() rejects.
[[nodiscard]] WorkloadProfile parse_profile(std::string_view text, const std::string& file);
// Parses one or more profiles, separated by optional white space. Line numbers of errors refer to the whole text.
[[nodiscard]] std::vector<WorkloadProfile> parse_profiles(std::string_view text, const std::string& file);

inline constexpr std::uint64_t largest_rank_nodes = std::uint64_t{1} << 24;
// Throws Error(input) if tables of a profile are inconsistent, or if a sampled rank could have more than
// `largest_rank_nodes` nodes in an iteration. `where`: the profile.
void check_profile(const WorkloadProfile& profile, const Location& where);

}  // namespace convert
