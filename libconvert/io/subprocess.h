// SPDX-License-Identifier: MIT
// Runs another program with bytes on its standard input and collects what it prints.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

struct ChildResult {
  int exit_code = 0;       // 128 + N if signal N ended it
  bool timed_out = false;  // it was killed with its process group after `timeout`
  bool too_large = false;  // it was killed likewise: it printed more than `max_output` bytes on one stream
  std::string out;
  std::string err;
};

// Runs argv[0], looked up in PATH, to its end, and returns what it printed. It may leave input unread, and is
// killed when this process ends, however that does. Throws Error(system) with the program if it cannot be started.
[[nodiscard]] ChildResult run_child(const std::vector<std::string>& argv, std::string_view stdin_bytes,
                                    std::chrono::milliseconds timeout, std::size_t max_output);

}  // namespace convert
