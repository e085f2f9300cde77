// SPDX-License-Identifier: MIT
// Makes a source of traces of the tools' input options.
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

// Returns the files that the operands name, as far as they are files, and their groups.
[[nodiscard]] std::vector<std::string> operand_files(const std::vector<std::string>& operands,
                                                     const convert::InputSet& inputs);

// Prints notes and, with -v, remarks about a network that was read.
void report_network(const convert::NetworkConfig& network);
// Notes that a schedule uses one of several equal-cost routes, which messages of other replays share.
void note_one_route(bool of_schedule, const convert::ReplayResult& result);

}  // namespace tools
