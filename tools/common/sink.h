// SPDX-License-Identifier: MIT
// Makes a sink of sets from the output options of a tool.
#pragma once

#include "common/options.h"
#include "common/tool.h"
#include "sets/sink.h"

namespace tools {

// Destination of a set, planned and not yet written.
struct OpenSink {
  convert::SinkOptions options;
  convert::SinkPlan plan;

  void write(convert::SetSource& set, convert::Diagnostics& diagnostics) const {
    write_set(set, plan, options, diagnostics);
  }
};

// Plans the destination of `set`, as plan_sink() does. `more` holds the settings that are not output options.
// Throws Error(usage) if plan_sink() does, and if a terminal would get binary data.
[[nodiscard]] OpenSink open_sink(convert::SetSource& set, const OutputOptions& output, const Context& context,
                                 convert::SinkOptions more = {});

}  // namespace tools
