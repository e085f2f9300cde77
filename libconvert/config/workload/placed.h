// SPDX-License-Identifier: MIT
// Places of errors about the settings of a workload.
#pragma once

#include "config/workload/workload.h"
#include "core/diagnostic.h"

namespace convert {

// Returns an error about settings with the place of the last setting that it names in the request's file, else with
// the file; the error itself if it names a setting outside of the file, or there is no file.
[[nodiscard]] Error placed(const WorkloadRequest& request, const Error& error);

}  // namespace convert
