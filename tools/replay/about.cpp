// SPDX-License-Identifier: MIT
#include "replay/about.h"

#include <string_view>

#include "config/network/network.h"
#include "sets/runs.h"

namespace tools {

using namespace convert;

namespace {

std::string name_of_file(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace

Run about_run(const std::string& workload, const Scenario& scenario, const std::vector<std::string>& files,
              const Context& context) {
  Run about;
  about.title = workload == "-" ? "stdin" : name_of_file(workload);
  about.settings.push_back({"command", context.history()});
  const std::string& network = scenario.network.source;
  about.settings.push_back({"network", is_short_network(network) ? network : name_of_file(network)});
  if (scenario.options.system)
    about.settings.push_back({"system", name_of_file(scenario.options.system->config.source)});
  std::vector<std::string> all = files;
  if (workload == "-") all.push_back(workload);  // also where no operand names it
  about.inputs = hashes_of(all);
  return about;
}

}  // namespace tools
