// SPDX-License-Identifier: MIT
// Compiles the ranks of a set that is held by classes: one rank of each, and of the others what differs.
#pragma once

#include <functional>
#include <string>

#include "core/master/master_set.h"
#include "simulate/program/program.h"

namespace convert {

// Returns whether add_by_classes() may be called: the ranks are those from 0 on, their world_size does not say that
// some are missing, and no option asks to look at each. Messages call the set's file `name`, here and below.
[[nodiscard]] bool has_whole_classes(const MasterSet& set, const std::string& name, const ReplayOptions& options);

// Adds all ranks, in order. `builder` returns the builder, and is called first with the first rank.
void add_by_classes(const MasterSet& set, const std::string& name,
                    const std::function<ReplayBuilder&(const Trace&)>& builder, const ReplayOptions& options);

}  // namespace convert
