// SPDX-License-Identifier: MIT
// Nodes of the ranks of a recommendation model in training steps.
#pragma once

#include <cstdint>
#include <vector>

#include "config/workload/workload.h"
#include "generate/workload/body.h"

namespace convert {

// Returns the body of all ranks of a checked workload; a rank's place determines its tables. Tables are
// distributed, possibly cut by columns; matrices are replicated on every rank. A rank looks up its tables for the
// samples of all ranks, an all-to-all sends the results to the samples' ranks, and their gradients return. The
// gradients of matrices are reduced in buckets.
[[nodiscard]] StageBody make_dlrm(const Workload& workload, const PlanGroups& groups);

[[nodiscard]] std::int64_t parameters_of(const DlrmShape& shape);

// Tables of a rank, or column shards of tables.
struct DealtTables {
  std::int64_t count = 0;
  std::int64_t rows = 0;  // sum over the tables
};
// Distributes tables to ranks, the largest first, each to the first rank with the fewest rows so far.
[[nodiscard]] std::vector<DealtTables> deal_tables(const DlrmShape& shape, std::int64_t ranks, Deal deal);

}  // namespace convert
