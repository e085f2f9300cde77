// SPDX-License-Identifier: MIT
// Help of etkit, and the start of a tool by its short name.
#pragma once

#include <string>

namespace tools {

// Returns the usage of etkit and the list of tools, at most 80 columns wide.
[[nodiscard]] std::string etkit_help();

// Replaces this process by the tool et-NAME, or NAME if it begins with "et-". Looks in the folder of this program,
// then in PATH. `arguments` ends with a null pointer; its first element is replaced by the tool's name. Returns the
// exit status 2 after a message if there is no such tool.
[[nodiscard]] int start_tool(const std::string& name, char** arguments);

}  // namespace tools
