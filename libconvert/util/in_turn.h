// SPDX-License-Identifier: MIT
// What work on one of many items leaves to be done in the order of the items (see for_each_ordered).
#pragma once

#include <functional>

namespace convert {

// Whether this thread works on an item now.
[[nodiscard]] bool works_on_item();

// Calls f when the turn of this item has come, on the thread that consumes the results: before its result, or before
// its exception is thrown. Outside such work at once.
void in_turn(std::function<void()> f);

}  // namespace convert
