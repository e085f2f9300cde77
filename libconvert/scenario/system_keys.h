// SPDX-License-Identifier: MIT
// Keys of system.json one by one: parses a value, and replaces the value of a system.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/system.h"

namespace convert {

// Returns the keys that affect a replay.
[[nodiscard]] std::vector<std::string> system_key_names();
[[nodiscard]] bool is_system_number(const std::string& key);  // its values are numbers

[[nodiscard]] bool takes_algorithms(const std::string& key);  // "ring+direct"

// Returns the precedence of a key: the traces of a collective replace its native algorithm, whatever the order of
// keys.
[[nodiscard]] int system_key_precedence(const std::string& key);

// Returns a configuration with this value. Algorithms of several dimensions are joined by "+". Throws Error(input)
// without a position.
[[nodiscard]] SystemConfig parse_system_value(const std::string& key, const std::string& value);

// Copies the key's value from `from` to `to`. The algorithm of one dimension is for all `dims`. Throws Error(input)
// if the value would be ignored.
void set_system_key(SystemConfig& to, const std::string& key, const SystemConfig& from, std::size_t dims);

}  // namespace convert
