// SPDX-License-Identifier: MIT
// Text about what a blocked call waits for, shared by all reports of deadlocks. A subject is "rank 0 node 2".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/trace.h"

namespace convert {

// Returns "tag 0, 256 bytes"; without the size if it is negative.
[[nodiscard]] std::string tag_text(std::int64_t tag, std::int64_t bytes);
// Returns "rank 0 node 2 receives from rank 1 node 4 (tag 0, 256 bytes), which has not started"
[[nodiscard]] std::string receive_text(std::string_view subject, std::string_view send, std::int64_t tag,
                                       std::int64_t bytes);
// Returns "rank 0 node 2 calls all_reduce of 1 MiB (number 0 of group 5)"; numbers of a group count from 0.
[[nodiscard]] std::string call_text(std::string_view subject, std::string_view call, std::uint64_t number,
                                    std::string_view group);
// Returns "rank 1 and 2 other ranks have not called", "rank 1 has not called"
[[nodiscard]] std::string missing_text(Rank first, std::uint64_t missing);
// Returns "the next such call of rank 1 is node 7"
[[nodiscard]] std::string next_call_text(Rank rank, std::string_view node);

}  // namespace convert
