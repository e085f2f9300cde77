// SPDX-License-Identifier: MIT
#include "replay/about.h"

#include <string_view>

#include "io/set_path.h"

namespace tools {

using namespace convert;

namespace {

std::string base_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace

Run about_run(const std::string& workload, const Scenario& scenario, const std::vector<std::string>& files,
              const Context& context) {
  Run about;
  about.title = workload == "-" ? "stdin" : base_name(workload);
  about.settings.push_back({"command", context.history()});
  about.settings.push_back({"network", base_name(scenario.network.source)});
  if (scenario.options.system)
    about.settings.push_back({"system", base_name(scenario.options.system->config.source)});
  for (const std::string& file : files) about.inputs.push_back({base_name(file), {}});
  return about;
}

}  // namespace tools
