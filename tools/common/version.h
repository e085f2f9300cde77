// SPDX-License-Identifier: MIT
#pragma once

namespace tools {
extern const char* const version_number;
}
