// SPDX-License-Identifier: MIT
// Writes the pages of et-graph -t html.
#pragma once

#include <optional>
#include <string>

#include "common/tool.h"
#include "graph/part.h"
#include "io/output.h"
#include "sets/source.h"

namespace tools {

struct PageOptions {
  std::optional<std::string> view;
};

void add_page_options(App& app, PageOptions& to);

// Reads a source that is prepared and writes the page that --view names. Throws Error(usage) if a rank that was
// asked for is not there, Error(input) if there is more than a page shows.
void write_page(const PageOptions& options, const PartOptions& part, convert::TraceSource& source,
                convert::Output& output, Context& context);

}  // namespace tools
