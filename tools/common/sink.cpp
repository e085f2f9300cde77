// SPDX-License-Identifier: MIT
#include "common/sink.h"

#include <utility>

#include "common/form.h"

namespace tools {

OpenSink open_sink(convert::SetSource& set, const OutputOptions& output, const Context& context,
                   convert::SinkOptions more) {
  OpenSink sink{.options = std::move(more), .plan = {}};
  refuse_suffix_of_other_kind(output);
  sink.options.to = output.to;
  sink.options.path = output.path;
  sink.options.force = output.force;
  if (!output.no_history) sink.options.history = context.history();
  sink.options.jobs = context.jobs();
  sink.plan = plan_sink(set, sink.options);
  if (output.to_stdout() && sink.plan.binary()) refuse_binary_on_tty("or write text with -t json");
  return sink;
}

}  // namespace tools
