// SPDX-License-Identifier: MIT
// Makes a source of traces from the input options of a tool.
#pragma once

#include <string>
#include <vector>

#include "common/options.h"
#include "common/tool.h"
#include "sets/source.h"

namespace convert {
struct NetworkConfig;
struct ReplayResult;
}  // namespace convert

namespace tools {

// Returns operands, format, rank and progress; imports are not hashed.
[[nodiscard]] convert::SourceOptions source_options(const InputOptions& input, const Context& context);

// Returns the operands, and the files of ranks and groups that they name.
[[nodiscard]] std::vector<std::string> operand_files(const std::vector<std::string>& operands,
                                                     const convert::InputSet& inputs);

// Prints the notes of a network that was read and, with -v, its remarks.
void report_network(const convert::NetworkConfig& network);
// Notes that a schedule uses one of several equal-cost routes; other replays spread messages over all of these.
void note_one_route(bool of_schedule, const convert::ReplayResult& result);

}  // namespace tools
