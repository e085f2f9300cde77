// SPDX-License-Identifier: MIT
// Defers an action of a work item of for_each_ordered() until the item's result is consumed.
#pragma once

#include <functional>

namespace convert {

// Returns whether this thread is working on an item.
[[nodiscard]] bool works_on_item();

// Calls f on the consuming thread, just before the result of this thread's item is consumed or its exception is
// thrown. Calls f at once if this thread is not working on an item.
void in_turn(std::function<void()> f);

}  // namespace convert
