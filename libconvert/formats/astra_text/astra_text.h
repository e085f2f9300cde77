// SPDX-License-Identifier: MIT
// Reads ASTRA-sim 1.0 text workloads as traces, as MLCommons Chakra's text converter maps them. See et-formats(5).
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

// One of a layer's three collectives.
struct AstraCollective {
  std::string type_text;  // "ALLREDUCE"
  Collective type = Collective::all_reduce;
  std::int64_t bytes = 0;
  bool runs = false;  // becomes a node
};

// A line of the workload. Times as written, which Chakra takes as microseconds.
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
  std::string text;  // with line feeds only
  AstraKind kind = AstraKind::data;
  std::size_t last_bottom_layer = 0;  // of HYBRID_DLRM: 1 … layers - 1
  std::vector<AstraLayer> layers;     // ≥ 1
};

// Parses a workload. Throws Error(input) with line and column. With `compat` collectives of type NONE or size 0
// run, and an unknown type is an all-reduce, as in Chakra's converter; otherwise the former do not run, and an
// unknown type is an error. Warns about collectives that are left out.
[[nodiscard]] AstraWorkload read_astra_text(std::string text, const std::string& file, bool compat,
                                            Diagnostics& diagnostics);

// Returns whether the text begins like a workload of ASTRA-sim, of a supported kind or another.
[[nodiscard]] bool sniff_astra_text(std::string_view head);

struct AstraOptions {
  Rank npus = 1;
  std::uint64_t passes = 1;
  bool compat = false;
};
// Returns a set of equal traces. With compat node ids run on from rank to rank, else each rank's begin at 0. Throws
// Error(usage) if all ids together do not fit 64 bits, with compat or without.
[[nodiscard]] std::unique_ptr<DescribedSet> make_astra_set(AstraWorkload workload, const AstraOptions& options);

}  // namespace convert
