// SPDX-License-Identifier: MIT
// Writes the page of two runs side by side: what differs first, then where, largest contribution first.
#pragma once

#include "analyze/diff/difference.h"
#include "core/run.h"
#include "io/output.h"

namespace convert {

// Writes the page; `difference` is that of the two runs. Does not close `output`. Throws Error(usage) if the
// library was built without pages.
void write_compare_page(const Run& a, const Run& b, const Difference& difference, Output& output);

}  // namespace convert
