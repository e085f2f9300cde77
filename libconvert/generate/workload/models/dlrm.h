// SPDX-License-Identifier: MIT
// Makes what the ranks of a recommendation model do in training steps.
#pragma once

#include <cstdint>
#include <vector>

#include "config/workload/workload.h"
#include "generate/workload/body.h"

namespace convert {

// Returns the body of all ranks of a workload that was checked; what a rank's tables make of it follows from its
// place. Tables are divided, those that are cut by columns; the matrices every rank has. A rank looks its tables up
// for the samples of all ranks, an all-to-all brings what it found to theirs, and gradients come back. Those of the
// matrices are reduced in buckets.
[[nodiscard]] StageBody make_dlrm(const Workload& workload, const PlanGroups& groups);

[[nodiscard]] std::int64_t parameters_of(const DlrmShape& shape);

// The tables of a rank, or parts of tables that are cut.
struct DealtTables {
  std::int64_t count = 0;
  std::int64_t rows = 0;  // of all
};
// Deals tables to ranks, the largest first, each to the first rank that has the fewest rows so far.
[[nodiscard]] std::vector<DealtTables> deal_tables(const DlrmShape& shape, std::int64_t ranks, Deal deal);

}  // namespace convert
