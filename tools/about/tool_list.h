// SPDX-License-Identifier: MIT
// The tools of etkit, with one line about each.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tools {

struct ToolEntry {
  std::string_view name;     // "et-split"
  std::string_view summary;  // "split a trace by NPU, …"
};

// Returns the tools in the order of tools.def.
[[nodiscard]] std::span<const ToolEntry> tool_list();
// Returns the summary of a tool in tool_list().
[[nodiscard]] std::string summary_of(std::string_view name);

}  // namespace tools
