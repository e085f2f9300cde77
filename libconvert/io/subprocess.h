// SPDX-License-Identifier: MIT
// Runs another program with bytes on its standard input and collects its output.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

struct ChildResult {
  int exit_code = 0;       // 128 + N if it was ended by signal N
  bool timed_out = false;  // killed with its process group after `timeout`
  bool too_large = false;  // killed with its process group: it printed more than `max_output` bytes on one stream
  std::string out;
  std::string err;
};

// Runs argv[0], looked up in PATH, to its end, and returns its output. It may leave input unread. It is killed when
// this process ends, in any way. Throws Error(system) with the program if it cannot be started.
[[nodiscard]] ChildResult run_child(const std::vector<std::string>& argv, std::string_view stdin_bytes,
                                    std::chrono::milliseconds timeout, std::size_t max_output);

}  // namespace convert
