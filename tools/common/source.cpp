// SPDX-License-Identifier: MIT
#include "common/source.h"

namespace tools {

convert::SourceOptions source_options(const InputOptions& input, const Context& context) {
  convert::SourceOptions options;
  options.operands = inputs(input);
  options.from = input.from;
  if (input.rank) options.rank = static_cast<convert::Rank>(*input.rank);
  options.groups = input.groups.value_or("");
  options.hash = false;
  options.progress = context.progress();
  return options;
}

std::vector<std::string> operand_files(const std::vector<std::string>& operands, const convert::InputSet& inputs) {
  std::vector<std::string> files = operands;  // perhaps a tar
  for (const convert::InputSet::File& file : inputs.files()) files.push_back(file.path);
  if (inputs.groups()) files.push_back(inputs.groups()->name);
  return files;
}

}  // namespace tools
