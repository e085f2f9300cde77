// SPDX-License-Identifier: MIT
#include "about/tool_list.h"

#include <algorithm>
#include <iterator>

namespace tools {
namespace {

constexpr ToolEntry entries[] = {
#define TOOL(name, summary) {name, summary},
#include "about/tools.def"
#undef TOOL
};

}  // namespace

std::span<const ToolEntry> tool_list() { return entries; }

std::string summary_of(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(entries), std::end(entries), [&](const ToolEntry& e) { return e.name == name; });
  return found == std::end(entries) ? std::string() : std::string(found->summary);
}

}  // namespace tools
