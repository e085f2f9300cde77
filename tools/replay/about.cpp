// SPDX-License-Identifier: MIT
#include "replay/about.h"

#include "common/text.h"
#include "config/network/network.h"
#include "sets/runs.h"

namespace tools {

using namespace convert;

Run about_run(const std::string& workload, const Scenario& scenario, const std::vector<std::string>& files,
              const Context& context) {
  Run about;
  about.title = workload == "-" ? "stdin" : base_name(workload);
  about.settings.push_back({"command", context.history()});
  const std::string& network = scenario.network.source;
  about.settings.push_back({"network", is_short_network(network) ? network : base_name(network)});
  if (scenario.options.system)
    about.settings.push_back({"system", base_name(scenario.options.system->config.source)});
  std::vector<std::string> all = files;
  if (workload == "-") all.push_back(workload);  // also where no operand names it
  about.inputs = hashes_of(all);
  return about;
}

}  // namespace tools
