// SPDX-License-Identifier: MIT
// Compiles the ranks of a set that is held by classes: one rank of each, and of the others what differs.
#pragma once

#include <functional>
#include <string>

#include "core/master/master_set.h"
#include "simulate/program/program.h"

namespace convert {

// Returns whether the ranks are those from 0 on, and each of them is compiled on its own only if the options say
// so: only then may add_by_classes() be called.
[[nodiscard]] bool has_whole_classes(const MasterSet& set, const ReplayOptions& options);

// Adds all ranks, in order. `builder` returns the builder, and is called first with the first rank. Messages call
// the set `name`.
void add_by_classes(const MasterSet& set, const std::string& name,
                    const std::function<ReplayBuilder&(const Trace&)>& builder, const ReplayOptions& options);

}  // namespace convert
