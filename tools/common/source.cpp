// SPDX-License-Identifier: MIT
#include "common/source.h"

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

}  // namespace tools
