// SPDX-License-Identifier: MIT
// Writes what et-generate makes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "generate/options.h"
#include "sets/set_source.h"

namespace tools {

// Writes a set where the options say, unless something was found to be wrong. Throws Error(usage) if the format is
// for algorithms and the set is none.
void write_made(convert::SetSource& set, const GenerateOptions& o, Context& context);

// Throws Error(usage) where writing a set of so many ranks would, as far as that can be told before it is made.
void check_output(const std::string& name, convert::Rank ranks, const GenerateOptions& o, Context& context);

// Writes an algorithm, with `schedule` (which has its own sizes) if it comes from a schedule. `name_nets` adds to a
// trace the network devices that its sends name; other formats drop them with a note. Empty: no devices.
void write_algorithm(const convert::Algorithm& algorithm, const convert::Schedule* schedule,
                     const GenerateOptions& o, Context& context,
                     const std::function<void(convert::Trace&)>& name_nets = {});

// Returns the name of one of several files: "mine.0.xml" of "mine.xml".
[[nodiscard]] std::string numbered_path(const std::string& path, std::size_t i);

}  // namespace tools
