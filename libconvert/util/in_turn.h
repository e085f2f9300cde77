// SPDX-License-Identifier: MIT
// Lets work on an item of for_each_ordered() put off an action until the item's turn comes.
#pragma once

#include <functional>

namespace convert {

// Returns whether this thread works on an item now.
[[nodiscard]] bool works_on_item();

// Calls f on the thread that consumes the results, just before the result of this thread's item is consumed or its
// exception thrown. Calls f at once if this thread works on no item.
void in_turn(std::function<void()> f);

}  // namespace convert
