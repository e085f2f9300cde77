// SPDX-License-Identifier: MIT
// Path of the sources.
#pragma once

#include <filesystem>

namespace convert::test {

[[nodiscard]] std::filesystem::path source_dir();

}  // namespace convert::test
