// SPDX-License-Identifier: MIT
// Leaves out the dependencies of an order that others imply.
#pragma once

#include "passes/link/order/order.h"
#include "passes/link/report.h"

namespace convert {

// Removes implied dependencies, also from the report's counts by rule. Takes time linear in dependencies × (threads
// + streams), of which it considers at most 256.
void reduce(Order& order, LinkReport& report);

}  // namespace convert
