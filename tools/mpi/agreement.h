// SPDX-License-Identifier: MIT
// Compares the options and the digests of inputs of the processes of one job.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tools {

// Names and values of the options and inputs of this process.
using ProcessInputs = std::vector<std::pair<std::string, std::string>>;

// Returns the inputs and this process's working folder as bytes.
[[nodiscard]] std::string encode_inputs(const ProcessInputs& inputs);
// Throws Error(usage) with the first difference if the inputs of a process differ from the inputs of process 0.
// `processes`: the result of encode_inputs() of each process, in order.
void require_same_inputs(std::span<const std::string> processes);

// Returns the size of a file and a digest of its first and last MiB.
[[nodiscard]] std::string file_fingerprint(const std::string& path);

}  // namespace tools
