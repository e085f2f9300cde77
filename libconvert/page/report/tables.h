// SPDX-License-Identifier: MIT
// Conversion of the tables of a run, except its timeline, to columns and head of a report page.
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
// Traffic between NPUs; for more than 64 NPUs, between 64 groups of neighbouring NPUs.
void add_matrix(const Run& run, const NpuIndex& index, JsonWriter& json, ReportColumns& columns);
// Local memory over time: minimum, mean and maximum over the NPUs in each bin.
void add_memory(const Run& run, ReportColumns& columns);
void write_dims(const Run& run, JsonWriter& json);
void write_what_if(const Run& run, JsonWriter& json);
void write_waits(const Run& run, JsonWriter& json);
// The 500 longest kernels or operations; the use of the peak; names of groups.
void write_operations(const Run& run, JsonWriter& json);
void write_use(const Run& run, JsonWriter& json);
// Origins of the times of calls on a machine; nothing for other runs.
void write_certainty(const Run& run, JsonWriter& json);
void write_groups(const Run& run, JsonWriter& json);
void write_findings(const Run& run, JsonWriter& json);

}  // namespace convert
