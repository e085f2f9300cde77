// SPDX-License-Identifier: MIT
// Writes the page of one run: what it says at first glance, where the time goes, timeline, critical path,
// collectives, links, traffic, memory, and how it was made. What a run does not tell is left out.
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

// Returns what the page of a run is made of.
[[nodiscard]] ReportData report_data(const Run& run);

// Writes the page. Does not close `output`. Throws Error(usage) if the library was built without pages.
void write_report_page(const Run& run, Output& output);

}  // namespace convert
