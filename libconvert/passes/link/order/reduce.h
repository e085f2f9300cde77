// SPDX-License-Identifier: MIT
// Leaves out the dependencies of an order that others imply.
#pragma once

#include "passes/link/order/order.h"
#include "passes/link/report.h"

namespace convert {

// Linear in dependencies × (threads + streams), of which 256 count. The report's counts by rule are those of what
// is left.
void reduce(Order& order, LinkReport& report);

}  // namespace convert
