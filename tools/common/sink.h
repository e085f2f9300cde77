// SPDX-License-Identifier: MIT
// Makes a sink of sets of the tools' output options.
#pragma once

#include "common/options.h"
#include "common/tool.h"
#include "sets/sink.h"

namespace tools {

// Holds where a set goes, planned and not yet written.
struct OpenSink {
  convert::SinkOptions options;
  convert::SinkPlan plan;

  void write(convert::SetSource& set, convert::Diagnostics& diagnostics) const {
    write_set(set, plan, options, diagnostics);
  }
};

// Plans where `set` goes, as plan_sink() does. `more` has what the output options do not say. Throws Error(usage)
// where plan_sink() does, and if a terminal would get binary data.
[[nodiscard]] OpenSink open_sink(convert::SetSource& set, const OutputOptions& output, const Context& context,
                                 convert::SinkOptions more = {});

}  // namespace tools
