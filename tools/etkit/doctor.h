// SPDX-License-Identifier: MIT
// Report of what an installation of etkit can do on this machine.
#pragma once

#include <string>

namespace tools {

// Returns the report: versions, formats, optional programs with their paths, processors, environment variables.
[[nodiscard]] std::string doctor_report();

}  // namespace tools
