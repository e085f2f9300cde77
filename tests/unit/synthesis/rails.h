// SPDX-License-Identifier: MIT
// A system of hosts with a switch in each host, and one switch for all first NPUs, one for all second NPUs, and so
// on.
#pragma once

#include "config/network/network.h"
#include "unit/synthesis/random_graphs.h"

namespace convert::test {

inline NetworkConfig rails(std::uint32_t hosts, std::uint32_t npus_each) {
  NetworkConfig out{.source = "rails"};
  out.graph.npus = hosts * npus_each;
  out.graph.switches = hosts + npus_each;
  for (Device n = 0; n < out.graph.npus; ++n) {
    const Device host = out.graph.npus + n / npus_each;
    const Device rail = out.graph.npus + hosts + n % npus_each;
    for (const auto& [to, rate] : {std::pair(host, 240.0), std::pair(rail, 25.0)}) {
      add_wire(out.graph, n, to, rate);
      add_wire(out.graph, to, n, rate);
    }
  }
  return out;
}

}  // namespace convert::test
