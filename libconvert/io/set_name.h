// SPDX-License-Identifier: MIT
// Parses the file names of trace sets, for set_path.cpp and input_set.cpp.
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
// Returns the set and rank of a rank's file; nothing for other names, including hidden ones (".ring.0.et").
[[nodiscard]] std::optional<SetMember> set_member(std::string_view path);

// Returns whether a file is named like a class-compressed set ("ring.etm", also with .gz, .zst) and not hidden.
[[nodiscard]] bool is_master_name(std::string_view path);
// Returns the names of such files in a directory, sorted. Throws Error(system) if it cannot be read.
[[nodiscard]] std::vector<std::string> master_files(const std::string& directory);

// Returns the set of a file that is named almost like a rank ("ring.07.et"); nothing for other names.
[[nodiscard]] std::optional<std::string> set_of_near_rank(std::string_view path);

// Returns the files of `set` in `directory` ("" or ending in "/"), by rank and path. If `sets` is given,
// returns the files of all sets, and adds the names of the sets to `sets`. Adds files that are named almost like
// ranks to `near`, if it is given.
[[nodiscard]] std::vector<RankFile> rank_files(const std::string& directory, const std::string& set,
                                               std::set<std::string>* sets, NearRanks* near);

}  // namespace convert
