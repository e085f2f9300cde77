// SPDX-License-Identifier: MIT
// Takes the keys of system.json one by one: reads a value from text, and puts it in place of what a system says.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/system.h"

namespace convert {

// Returns all that have an effect on a replay, then `algorithm`, which stands for all four lists of algorithms.
[[nodiscard]] std::vector<std::string> system_key_names();
[[nodiscard]] bool is_system_number(const std::string& key);  // its values are numbers

[[nodiscard]] bool takes_algorithms(const std::string& key);  // "ring+direct"

// Returns the precedence of a key: of keys for one thing the highest wins, whatever their order: `algorithm`,
// then the algorithm of one collective, then its traces.
[[nodiscard]] int system_key_precedence(const std::string& key);

// Returns a configuration with this value. The algorithms of several dimensions are joined by "+". Throws
// Error(input) without a place.
[[nodiscard]] SystemConfig parse_system_value(const std::string& key, const std::string& value);

// Puts the key's value of `from` into `to`. The algorithm of one dimension is for all `dims`. Throws Error(input)
// if it would have no effect.
void set_system_key(SystemConfig& to, const std::string& key, const SystemConfig& from, std::size_t dims);

}  // namespace convert
