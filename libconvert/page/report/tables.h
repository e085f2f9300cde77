// SPDX-License-Identifier: MIT
// Puts the tables of a run, but for its timeline, into the columns and the head of a report page.
#pragma once

#include "core/run.h"
#include "page/report/columns.h"
#include "page/report/parts.h"
#include "util/json_writer.h"

namespace convert {

void add_npus(const Run& run, const NpuIndex& index, const RunParts& parts, ReportColumns& columns);
// The critical path: its sums, and its steps, with many short steps joined.
void add_path(const Run& run, const NpuIndex& index, PageTexts& names, PageTexts& texts, JsonWriter& json,
              ReportColumns& columns);
void add_calls(const Run& run, PageTexts& texts, ReportColumns& columns);
void add_links(const Run& run, PageTexts& texts, ReportColumns& columns);
// Traffic between NPUs; of more than 64 NPUs between so many groups of neighbours.
void add_matrix(const Run& run, const NpuIndex& index, JsonWriter& json, ReportColumns& columns);
// Local memory over time: the least, mean and most of the NPUs in each bin.
void add_memory(const Run& run, ReportColumns& columns);
void write_dims(const Run& run, JsonWriter& json);
void write_what_if(const Run& run, JsonWriter& json);
void write_waits(const Run& run, JsonWriter& json);
// Kernels or operations, the 500 longest; the use of the peak; names of groups.
void write_operations(const Run& run, JsonWriter& json);
void write_use(const Run& run, JsonWriter& json);
void write_groups(const Run& run, JsonWriter& json);
void write_findings(const Run& run, JsonWriter& json);

}  // namespace convert
