// SPDX-License-Identifier: MIT
// Compiles the ranks of a class-compressed set: one representative of each class, and only the differences of the
// other ranks.
#pragma once

#include <functional>
#include <string>

#include "core/master/master_set.h"
#include "simulate/program/program.h"

namespace convert {

// Returns whether add_by_classes() may be called: the ranks are numbered from 0 without gaps, world_size does not
// state that more exist, and no option must look at each rank. `name` is the set's file in messages, here and
// below.
[[nodiscard]] bool has_whole_classes(const MasterSet& set, const std::string& name, const ReplayOptions& options);

// Adds all ranks, in order. `builder` returns the builder; its first call is with the first rank.
void add_by_classes(const MasterSet& set, const std::string& name,
                    const std::function<ReplayBuilder&(const Trace&)>& builder, const ReplayOptions& options);

}  // namespace convert
