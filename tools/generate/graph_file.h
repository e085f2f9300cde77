// SPDX-License-Identifier: MIT
// Makes the algorithms of --algorithm graph:FILE, the rings of a graph file of NCCL.
#pragma once

#include <cstdint>
#include <vector>

#include "common/tool.h"
#include "core/algorithm/algorithm.h"
#include "generate/options.h"

namespace tools {

// Returns whether --algorithm names a graph file.
[[nodiscard]] bool names_graph_file(const GenerateOptions& o);

struct GraphAlgorithm {
  // The network devices by which messages leave the sender's host and come to the receiver's, -1: none or not
  // named.
  struct Nets {
    std::int64_t net = -1;
    std::int64_t net_to = -1;
  };
  convert::Algorithm algorithm;
  std::vector<std::vector<Nets>> nets{};  // by rank and threadblock, which sends

  // Names the devices in the sends of a trace (attributes net, net_to), one of algorithm.
  void name_nets(convert::Trace& trace) const;
  [[nodiscard]] bool has_nets() const;
};

// Returns the algorithm; tells what the file holds with -v. Throws Error.
[[nodiscard]] GraphAlgorithm graph_algorithm(const GenerateOptions& o, convert::Collective collective,
                                             Context& context);

}  // namespace tools
