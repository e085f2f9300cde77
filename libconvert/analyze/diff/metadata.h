// SPDX-License-Identifier: MIT
// Compares the metadata of two traces.
#pragma once

#include "analyze/diff/difference.h"
#include "core/trace.h"

namespace convert {

// Adds the differences, without attributes that are times or name the origin of a trace. Versions differ if both
// are given.
void compare_metadata(const Trace& a, const Trace& b, const DiffWishes& wishes, Difference& out);

}  // namespace convert
