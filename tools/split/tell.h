// SPDX-License-Identifier: MIT
// Logs, with -v, what et-split did.
#pragma once

#include "sets/derived/folding.h"
#include "sets/derived/iterating.h"
#include "sets/derived/rankwise.h"
#include "sets/derived/windowing.h"
#include "split/options.h"

namespace tools {

void tell(const SplitToolOptions& o, const convert::RankwiseSet::Counts& counts);
// Also notes what to expect from repeated iterations.
void tell_before(const convert::IterationSet& set);
void tell(const convert::TakenCounts& counts);
void tell(const convert::WindowCounts& counts, const SplitToolOptions& o);
void tell(const convert::FoldedSet& set);

}  // namespace tools
