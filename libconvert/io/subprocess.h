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
  bool timed_out = false;  // it was killed, with all processes of its group
  bool too_large = false;  // likewise, since it printed more than max_output bytes on one of its streams
  std::string out;
  std::string err;
};

// Runs argv[0], looked up in PATH, to its end. Throws Error(system) that names a program that cannot be started.
// The child need not read all of its input, and does not outlive this process, whatever ends that.
[[nodiscard]] ChildResult run_child(const std::vector<std::string>& argv, std::string_view stdin_bytes,
                                    std::chrono::milliseconds timeout, std::size_t max_output);

}  // namespace convert
