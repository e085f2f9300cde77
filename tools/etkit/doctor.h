// SPDX-License-Identifier: MIT
// What an installation of etkit can do on this machine.
#pragma once

#include <string>

namespace tools {

// Returns a report: versions, formats, optional programs with their places, processors, environment variables.
[[nodiscard]] std::string doctor_report();

}  // namespace tools
