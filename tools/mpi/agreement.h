// SPDX-License-Identifier: MIT
// Compares what the processes of one job read: their options and the digests of their inputs.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tools {

// The names and values of options and inputs of this process.
using ProcessInputs = std::vector<std::pair<std::string, std::string>>;

// Returns the inputs and this process's working folder as bytes.
[[nodiscard]] std::string encode_inputs(const ProcessInputs& inputs);
// `processes`: what encode_inputs() returned on each process, in their order. Throws Error(usage), which names the
// first difference, if a process has other inputs than process 0.
void require_same_inputs(std::span<const std::string> processes);

// Returns the size of a file and a digest of its first and last MiB.
[[nodiscard]] std::string file_fingerprint(const std::string& path);

}  // namespace tools
