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
  std::vector<std::uint32_t> ranks{};  // in file order, which is the order of the group's ring
};

inline constexpr std::size_t max_groups_bytes = 0xffff0000U;  // of a file; JsonSource accepts less than 4 GiB
// Parses {"ID": [RANK, …], …}, as in ASTRA-sim's comm_group.json; returns the groups in file order. `ranks` is
// the number of ranks, if known. `network` names the network that `ranks` is taken from, if any. Throws
// Error(input) [groups] with line and column for malformed JSON, a negative or non-integer id or rank, a rank not
// below `ranks`, a repeated id, and a repeated rank in a group.
[[nodiscard]] std::vector<CommGroup> parse_groups(const std::string& file, std::string_view text,
                                                  std::optional<std::uint32_t> ranks,
                                                  const std::string& network = {});

// Returns the groups as the text of such a file.
[[nodiscard]] std::string groups_text(std::span<const CommGroup> groups);

}  // namespace convert
