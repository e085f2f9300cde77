// SPDX-License-Identifier: MIT
#include "common/source.h"

#include "config/network/network.h"
#include "simulate/engine/replay.h"
#include "util/log.h"

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

void report_network(const convert::NetworkConfig& network) {
  for (const std::string& note : network.notes) convert::log_note(network.source + ": " + note);
  for (const std::string& remark : network.remarks) convert::log_info(network.source + ": " + remark);
}

void note_one_route(bool of_schedule, const convert::ReplayResult& result) {
  if (!of_schedule || !result.spread || result.spread->multipath != convert::Multipath::single) return;
  convert::log_note(
      "a schedule gives each message one route; one of several equal-cost routes is used, as with --multipath "
      "single");
}

}  // namespace tools
