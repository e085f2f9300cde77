// SPDX-License-Identifier: MIT
// Reader of ASTRA-sim 1.0 text workloads; maps them to traces as MLCommons Chakra's text converter does. See
// et-formats(5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "formats/format.h"

namespace convert {

enum class AstraKind : std::uint8_t { micro, data, model, hybrid_data_model, hybrid_model_data, hybrid_dlrm };

// One of the three collectives of a layer.
struct AstraCollective {
  std::string type_text;  // "ALLREDUCE"
  Collective type = Collective::all_reduce;
  std::int64_t bytes = 0;
  bool runs = false;  // whether it becomes a node
};

// A line of the workload. Times are the numbers of the file, which Chakra takes as µs.
struct AstraLayer {
  std::string name;
  std::uint32_t line = 0;
  std::uint64_t forward_us = 0;
  std::uint64_t input_gradient_us = 0;
  std::uint64_t weight_gradient_us = 0;
  AstraCollective forward;
  AstraCollective input_gradient;
  AstraCollective weight_gradient;
};

struct AstraWorkload {
  std::string file;
  std::string text;  // line breaks are LF only
  AstraKind kind = AstraKind::data;
  std::size_t last_bottom_layer = 0;  // for HYBRID_DLRM: 1 … layers - 1
  std::vector<AstraLayer> layers;     // at least one
};

// Parses a workload. Throws Error(input) with line and column. If `compat`, as in Chakra's converter, collectives
// of type NONE or size 0 run and an unknown type is an all-reduce. Otherwise such collectives do not run, and an
// unknown type is an error. Warns about omitted collectives.
[[nodiscard]] AstraWorkload read_astra_text(std::string text, const std::string& file, bool compat,
                                            Diagnostics& diagnostics);

// Returns whether the text begins like an ASTRA-sim workload, of a supported or unsupported kind.
[[nodiscard]] bool sniff_astra_text(std::string_view head);

struct AstraOptions {
  Rank npus = 1;
  std::uint64_t passes = 1;
  bool compat = false;
};
// Returns a set of equal traces. If `compat`, node ids continue from rank to rank; otherwise each rank's ids begin
// at 0. In both cases throws Error(usage) if the ids of all nodes together exceed 64 bits.
[[nodiscard]] std::unique_ptr<DescribedSet> make_astra_set(AstraWorkload workload, const AstraOptions& options);

}  // namespace convert
