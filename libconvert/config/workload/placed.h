// SPDX-License-Identifier: MIT
// Places of errors about the settings of a workload.
#pragma once

#include "config/workload/workload.h"
#include "core/diagnostic.h"

namespace convert {

// Returns an error about settings with the place of the last setting of the request's file that it names, else that
// of the file; the error itself if a setting outside of the file is named, or there is no file.
[[nodiscard]] Error placed(const WorkloadRequest& request, const Error& error);

}  // namespace convert
