// SPDX-License-Identifier: MIT
// Makes the algorithms of --algorithm graph:FILE along the rings of an NCCL graph file.
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
  // Network devices through which messages leave the sender's host and reach the receiver's host; -1: none, or not
  // named.
  struct Nets {
    std::int64_t net = -1;
    std::int64_t net_to = -1;
  };
  convert::Algorithm algorithm;
  std::vector<std::vector<Nets>> nets{};  // by rank and sending threadblock

  // Adds the devices to the sends of a trace of `algorithm` (attributes net, net_to).
  void name_nets(convert::Trace& trace) const;
  [[nodiscard]] bool has_nets() const;
};

// Returns the algorithm; logs the contents of the file with -v. Throws Error.
[[nodiscard]] GraphAlgorithm graph_algorithm(const GenerateOptions& o, convert::Collective collective,
                                             Context& context);

}  // namespace tools
