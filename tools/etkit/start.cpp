// SPDX-License-Identifier: MIT
#include "etkit/start.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <vector>

#include "about/tool_list.h"
#include "core/words.h"

namespace tools {
namespace {

constexpr int exit_not_started = 2;
constexpr std::string_view short_prefix = "et-";

int fail(const std::string& message) {
  std::cerr << "etkit: error: " << message << '\n';
  return exit_not_started;
}

// Returns the path of the tool in the folder of this program; empty if the tool is not there.
std::string beside_this(const std::string& tool) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const std::string path = self.parent_path() / tool;
  return access(path.c_str(), X_OK) == 0 ? path : std::string();
}

}  // namespace

std::string etkit_help() {
  std::string out =
      "etkit - execution traces of distributed training: convert, prove, simulate, draw\n\n"
      "Usage: etkit TOOL [ARGUMENT...]     the same as et-TOOL [ARGUMENT...]\n"
      "       etkit doctor                 versions, formats, programs found\n\n"
      "Tools:\n";
  for (const ToolEntry& e : tool_list()) {
    std::string line = "  " + std::string(e.name.substr(short_prefix.size()));
    line.resize(14, ' ');
    out += line.append(e.summary) + '\n';
  }
  return out +
         "\nOptions:\n"
         "  -h, --help              print this help\n"
         "      --version           print the version and exit\n\n"
         "Examples:\n"
         "  etkit generate all_reduce -a ring --npus 8 --size 1MiB -o ring8\n"
         "  etkit replay -n ring:8,bw=50GB/s,lat=500ns ring8\n\n"
         "Manual page: etkit(1). Each tool has its own: etkit TOOL --help, man et-TOOL.\n";
}

int start_tool(const std::string& name, char** arguments) {
  const std::string tool = name.starts_with(short_prefix) ? name : std::string(short_prefix) + name;
  std::vector<std::string> known = {"doctor"};
  for (const ToolEntry& e : tool_list()) known.emplace_back(e.name.substr(short_prefix.size()));
  if (std::find(known.begin(), known.end(), tool.substr(short_prefix.size())) == known.end()) {
    if (name.starts_with('-')) return fail("unknown option '" + name + "'; see --help");
    return fail("unknown tool '" + name + "'" + convert::hint_for(name, known));
  }
  std::string program = beside_this(tool);
  if (program.empty()) program = tool;
  std::string shown = tool;
  arguments[0] = shown.data();
  execvp(program.c_str(), arguments);
  return fail("cannot start " + tool + ": " + std::strerror(errno) + "; install it beside etkit or in PATH");
}

}  // namespace tools
