// SPDX-License-Identifier: MIT
// Reads the part of a set that et-graph draws: some ranks, and some of their nodes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/tool.h"
#include "formats/graphs/drawing.h"
#include "passes/excerpt.h"
#include "sets/source.h"

namespace tools {

struct PartOptions {
  std::optional<std::string> ranks, nodes, around;
};

void add_part_options(App& app, PartOptions& to);

// Returns which nodes of the ranks are wanted. Throws Error(usage).
[[nodiscard]] convert::ExcerptOptions excerpt_options(const PartOptions& options);

// Calls consume for each rank of a list, or for all. Throws Error(usage) if a rank that was asked for is not there.
void for_each_wanted(convert::TraceSource& source, const std::optional<std::string>& ranks, const Context& context,
                     const std::function<void(convert::Trace&&)>& consume);

// Returns the traces to draw, whole; or what dot and graphml draw of them. Throws Error(usage) if a rank that was
// asked for is not there.
[[nodiscard]] std::vector<convert::Trace> load_part(convert::TraceSource& source,
                                                    const std::optional<std::string>& ranks,
                                                    const convert::ExcerptOptions& excerpt, Context& context);
[[nodiscard]] convert::drawing::Drawing load_drawing(convert::TraceSource& source,
                                                     const std::optional<std::string>& ranks,
                                                     const convert::ExcerptOptions& excerpt, Context& context);

}  // namespace tools
