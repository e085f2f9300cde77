// SPDX-License-Identifier: MIT
#include "replay/about.h"

#include <sys/stat.h>

#include <array>
#include <set>
#include <string_view>

#include "config/network/network.h"
#include "io/sha256.h"

namespace tools {

using namespace convert;

namespace {

std::string base_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string hash_of(const std::string& file) {
  HashedInput input(open_input(file));
  std::array<char, 1 << 16> bytes{};
  while (input.read(bytes.data(), bytes.size()) != 0) continue;
  return input.hex();
}

// Adds each file once: regular ones with the hash of their content, which is read again for it; not what is read
// only once. Prefixes of sets, directories and networks in short form are no files.
void add_inputs(const std::vector<std::string>& files, Run& about) {
  std::set<std::string> known;
  for (const std::string& file : files) {
    struct stat s {};
    if (!known.insert(file).second) continue;
    if (file == "-") {
      about.inputs.push_back({"stdin", {}});
    } else if (stat(file.c_str(), &s) == 0 && !S_ISDIR(s.st_mode)) {
      const bool regular = S_ISREG(s.st_mode) && s.st_size > 0;
      about.inputs.push_back({base_name(file), regular ? hash_of(file) : std::string()});
    }
  }
}

}  // namespace

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
  add_inputs(all, about);
  return about;
}

}  // namespace tools
