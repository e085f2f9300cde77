// SPDX-License-Identifier: MIT
// Writes the page of two runs side by side: what differs first, then where, largest contribution first; then how
// faithful B is to A by statistics.
#pragma once

#include <string>

#include "analyze/diff/difference.h"
#include "core/run.h"
#include "io/output.h"

namespace convert {

// The inputs' names, which tell runs of one title apart; empty: they are not told.
struct InputNames {
  std::string a;
  std::string b;
};

// Writes the page; `difference` is that of the two runs. Does not close `output`. Throws Error(usage) if the
// library was built without pages.
void write_compare_page(const Run& a, const Run& b, const Difference& difference, const InputNames& inputs,
                        Output& output);

}  // namespace convert
