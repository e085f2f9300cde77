// SPDX-License-Identifier: MIT
// Comparison of the metadata of two traces.
#pragma once

#include "analyze/diff/difference.h"
#include "core/trace.h"

namespace convert {

// Adds the differences, except attributes that are times or describe the origin of a trace. Versions are compared
// if both sides have one.
void compare_metadata(const Trace& a, const Trace& b, const DiffWishes& wishes, Difference& out);

}  // namespace convert
