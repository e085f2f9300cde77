// SPDX-License-Identifier: MIT
// Lets parallel work on items put off actions until the item's turn comes (see for_each_ordered).
#pragma once

#include <functional>

namespace convert {

// Returns whether this thread works on an item now.
[[nodiscard]] bool works_on_item();

// Calls f when the turn of this thread's item has come, on the thread that consumes the results, before the item's
// result is consumed or its exception is thrown. Calls f at once if this thread works on no item.
void in_turn(std::function<void()> f);

}  // namespace convert
