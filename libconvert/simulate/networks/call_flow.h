// SPDX-License-Identifier: MIT
// A collective call as one flow, in the network model fair.
#pragma once

#include "core/units.h"

namespace convert {

// For `latency` the call uses no link. Then it needs `work` at the full rate, at which it uses these shares of the
// port, and of the adapters, of each of its members, in each direction.
struct CallFlow {
  Picoseconds latency = 0;
  Picoseconds work = 0;
  double port_use = 0;  // from 0 to 1
  double adapter_use = 0;
};

}  // namespace convert
