// SPDX-License-Identifier: MIT
#include "common/source_dir.h"

namespace convert::test {

std::filesystem::path source_dir() { return ETKIT_SOURCE_DIR; }

}  // namespace convert::test
