// SPDX-License-Identifier: MIT
// Finds the format in which something is written.
#pragma once

#include <optional>
#include <string>

#include "formats/format.h"

namespace convert {

// Returns the format that the name of a file stands for; null if there is none.
[[nodiscard]] const Format* suffix_format(const std::optional<std::string>& path);

// Returns the format of option -t, else that of the file's name, else chakra. Throws Error(usage).
[[nodiscard]] FormatChoice written_format(const std::optional<std::string>& to,
                                          const std::optional<std::string>& path);

}  // namespace convert
