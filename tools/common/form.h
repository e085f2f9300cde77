// SPDX-License-Identifier: MIT
// Tells by the name of a file what numbers or sentences are written to it as.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace tools {

// Returns which of `forms`, such as "json", the suffix of -o names, else "text". Throws Error(usage) for the suffix
// of something else that etkit writes, so that no text stands under its name, and no run is lost.
[[nodiscard]] std::string form_of_suffix(const std::optional<std::string>& output,
                                         std::initializer_list<std::string_view> forms);

}  // namespace tools
