// SPDX-License-Identifier: MIT
// Page of one run: findings, time categories, timeline, critical path, collectives, links, traffic, memory, and how
// the run was made. Panels without data in the run are omitted.
#pragma once

#include <string>
#include <vector>

#include "core/run.h"
#include "io/output.h"
#include "page/page.h"

namespace convert {

struct ReportData {
  std::string head;  // a JSON object
  std::vector<Column> columns;
};

// Returns the data of the page of a run.
[[nodiscard]] ReportData report_data(const Run& run);

// Writes the page. Does not close `output`. Throws Error(usage) if the library was built without pages.
void write_report_page(const Run& run, Output& output);

}  // namespace convert
