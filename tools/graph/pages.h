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
// Throws Error(usage) if options of pages are given for a type other than html, or options of one page for the
// other.
void check_page_options(const PageOptions& options, bool html);

// Writes the page that --view names; by default ten for algorithms and schedules, else graph. `findings`: of
// reading an algorithm or schedule, see SourceOptions. Returns false, after reporting the reasons, if no page is
// written. Throws Error(usage) if a requested rank does not exist, Error(input) if the source is too large for a
// page.
[[nodiscard]] bool write_page(const PageOptions& options, const PartOptions& part, convert::TraceSource& source,
                              convert::Diagnostics& findings, convert::OutputFiles& files,
                              const std::optional<std::string>& path, Context& context);

}  // namespace tools
