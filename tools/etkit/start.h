// SPDX-License-Identifier: MIT
// The help of etkit, and the start of a tool by its short name.
#pragma once

#include <string>

namespace tools {

// Returns the usage of etkit and the list of tools, at most 80 columns wide.
[[nodiscard]] std::string etkit_help();

// Replaces this process by the tool et-NAME, or NAME if that begins with "et-", from the folder of this program or
// else from PATH. `arguments` ends with a null pointer; its first element is replaced by the tool's name. Returns
// the exit status 2 after a message if there is no such tool.
[[nodiscard]] int start_tool(const std::string& name, char** arguments);

}  // namespace tools
