// SPDX-License-Identifier: MIT
#include "common/source.h"

#include "load/check.h"

namespace tools {

convert::SourceOptions source_options(const InputOptions& input, const Context& context) {
  convert::SourceOptions options;
  options.operands = inputs(input);
  options.from = input.from;
  if (input.rank) options.rank = static_cast<convert::Rank>(*input.rank);
  options.hash = false;
  options.progress = context.progress();
  return options;
}

std::unique_ptr<convert::TraceSource> open_source(convert::SourceOptions options, Context& context) {
  try {
    return std::make_unique<convert::TraceSource>(std::move(options), context.diagnostics);
  } catch (const convert::Error& e) {
    convert::report_unreadable(e, context.diagnostics);
    return nullptr;
  }
}

}  // namespace tools
