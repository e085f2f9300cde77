// SPDX-License-Identifier: MIT
// Writes the pages of et-graph -t html.
#pragma once

#include <optional>
#include <string>

#include "common/tool.h"
#include "graph/part.h"
#include "graph/ten.h"
#include "io/output.h"
#include "sets/source.h"

namespace tools {

struct PageOptions {
  std::optional<std::string> view;
  TenOptions ten;
};

void add_page_options(App& app, PageOptions& to);
// Throws Error(usage) if options of pages are given for another type than html, or those of one page for another.
void check_page_options(const PageOptions& options, bool html);

// Writes the page that --view names; without it that of algorithms and schedules is ten, of all others graph.
// `findings`: what reading found of an algorithm or schedule, see SourceOptions. Returns false, and reports why, if
// there is none. Throws Error(usage) if a rank that was asked for is not there, Error(input) if there is more than
// a page shows.
[[nodiscard]] bool write_page(const PageOptions& options, const PartOptions& part, convert::TraceSource& source,
                              convert::Diagnostics& findings, convert::OutputFiles& files,
                              const std::optional<std::string>& path, Context& context);

}  // namespace tools
