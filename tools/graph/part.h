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

// Returns the selection of nodes within the ranks. Throws Error(usage) for malformed options.
[[nodiscard]] convert::ExcerptOptions excerpt_options(const PartOptions& options);

// Calls consume for each rank of a list, or for all ranks. Throws Error(usage) if a rank of the list does not
// exist.
void for_each_wanted(convert::TraceSource& source, const std::optional<std::string>& ranks, const Context& context,
                     const std::function<void(convert::Trace&&)>& consume);

// Return the traces to draw, and the drawing for dot and graphml. Throw Error(usage) if a requested rank does not
// exist.
[[nodiscard]] std::vector<convert::Trace> load_part(convert::TraceSource& source,
                                                    const std::optional<std::string>& ranks,
                                                    const convert::ExcerptOptions& excerpt, Context& context);
[[nodiscard]] convert::drawing::Drawing load_drawing(convert::TraceSource& source,
                                                     const std::optional<std::string>& ranks,
                                                     const convert::ExcerptOptions& excerpt, Context& context);

}  // namespace tools
