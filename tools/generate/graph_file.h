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
  convert::Algorithm algorithm;
  // By rank and threadblock: the network device by which its messages leave the host, -1: none or not named.
  std::vector<std::vector<std::int64_t>> nets{};

  // Names the devices in the sends of a trace (attribute `net`), one of algorithm.
  void name_nets(convert::Trace& trace) const;
  [[nodiscard]] bool has_nets() const;
};

// Returns the algorithm; tells what the file holds with -v. Throws Error.
[[nodiscard]] GraphAlgorithm graph_algorithm(const GenerateOptions& o, convert::Collective collective,
                                             Context& context);

}  // namespace tools
