// SPDX-License-Identifier: MIT
// Reads and writes process groups: the ranks of each group, from the groups.json of a trace set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

struct CommGroup {
  std::int64_t id = 0;
  std::vector<std::uint32_t> ranks{};  // in the order of the file, which is the order in the group's ring
};

inline constexpr std::size_t max_groups_bytes = 0xffff0000U;  // of a file; JsonSource takes less than 4 GiB
// Parses {"ID": [RANK, …], …} as in ASTRA-sim's comm_group.json; returns groups in the order of the file. Throws
// Error(input) [groups] with line and column: malformed JSON, an id that is no integer from 0, a rank that is none,
// or is not below `ranks`, if their number is known; an id, or a rank in a group, that is given twice. Where that
// number is the NPUs of a network, `network` names it.
[[nodiscard]] std::vector<CommGroup> parse_groups(const std::string& file, std::string_view text,
                                                  std::optional<std::uint32_t> ranks,
                                                  const std::string& network = {});

// Returns the text of such a file.
[[nodiscard]] std::string groups_text(std::span<const CommGroup> groups);

}  // namespace convert
