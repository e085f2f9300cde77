// SPDX-License-Identifier: MIT
// Locations of errors about workload settings.
#pragma once

#include "config/workload/workload.h"
#include "core/diagnostic.h"

namespace convert {

// Returns an error about settings with the location of the last setting that it names in the request's file, or
// of the file. Returns the error unchanged if it names a setting outside the file, there is no file, or it
// concerns data-parallel sizes that the number of NPUs determines.
[[nodiscard]] Error placed(const WorkloadRequest& request, const Error& error);

}  // namespace convert
