// SPDX-License-Identifier: MIT
// Writes the results of et-generate.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "generate/options.h"
#include "sets/set_source.h"

namespace tools {

// Writes a set to the output of the options, unless errors were found. Throws Error(usage) if the format is for
// algorithms and the set has none.
void write_made(convert::SetSource& set, const GenerateOptions& o, Context& context);

// Throws Error(usage) if writing a set of `ranks` ranks would, as far as this is known before the set is made.
void check_output(const std::string& name, convert::Rank ranks, const GenerateOptions& o, Context& context);

// Writes an algorithm, with `schedule` (which has its own sizes) if it comes from a schedule. `name_nets` adds to a
// trace the network devices of its sends; formats of algorithms drop the devices with a note. Empty: no devices.
void write_algorithm(const convert::Algorithm& algorithm, const convert::Schedule* schedule,
                     const GenerateOptions& o, Context& context,
                     const std::function<void(convert::Trace&)>& name_nets = {});

// Returns the name of one of several files: "mine.0.xml" for "mine.xml".
[[nodiscard]] std::string numbered_path(const std::string& path, std::size_t i);

}  // namespace tools
