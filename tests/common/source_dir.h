// SPDX-License-Identifier: MIT
// Where the sources are.
#pragma once

#include <filesystem>

namespace convert::test {

[[nodiscard]] std::filesystem::path source_dir();

}  // namespace convert::test
