// SPDX-License-Identifier: MIT
// Parts of names of trace sets, shared by set_path.cpp and input_set.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/set_path.h"

namespace convert {

struct SetMember {
  std::string set;  // "traces/ring" of "traces/ring.3.et.gz"
  std::uint32_t rank = 0;
};
// Nothing for other names; hidden files (".ring.0.et") are no members.
[[nodiscard]] std::optional<SetMember> set_member(std::string_view path);

// The set of a file that is named like a rank and is none; nothing for other names.
[[nodiscard]] std::optional<std::string> set_of_near_rank(std::string_view path);

// Files of `set` in `directory` ("" or ending in "/"), by rank and path. With `sets` those of all sets, whose names
// it collects. Those that are nearly ranks are added to `near`, if it is given.
[[nodiscard]] std::vector<RankFile> rank_files(const std::string& directory, const std::string& set,
                                               std::set<std::string>* sets, NearRanks* near);

}  // namespace convert
