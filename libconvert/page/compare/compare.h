// SPDX-License-Identifier: MIT
// Page that compares two runs: the differences by contribution, the largest first; then the statistical fidelity of
// B to A.
#pragma once

#include <string>

#include "analyze/diff/difference.h"
#include "core/run.h"
#include "io/output.h"

namespace convert {

// Names of the inputs, to distinguish runs of the same title; empty: not shown.
struct InputNames {
  std::string a;
  std::string b;
};

// Writes the page. `difference` is the difference of the two runs. Does not close `output`. Throws Error(usage) if
// the library was built without pages.
void write_compare_page(const Run& a, const Run& b, const Difference& difference, const InputNames& inputs,
                        Output& output);

}  // namespace convert
