// SPDX-License-Identifier: MIT
#include "core/run/group_names.h"

#include <algorithm>
#include <string_view>

#include "core/name.h"
#include "core/units.h"

namespace convert {
namespace {

constexpr std::string_view attribute = "group_names";

}  // namespace

void add_group_names(const GroupNames& names, Metadata& metadata) {
  std::string text;
  for (auto [id, name] : names) {
    std::ranges::replace_if(
        name, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    if (!name.empty()) text += (text.empty() ? "" : "\n") + std::to_string(id) + '=' + name;
  }
  if (!text.empty()) metadata.table.add_string(Name(attribute), text);
}

GroupNames group_names_of(const Metadata& metadata) {
  GroupNames names;
  std::string_view rest = string_value(metadata.table, metadata.table.attrs, Name(attribute)).value_or("");
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    if (const auto id = parse_int(line.substr(0, equals))) names.emplace(*id, line.substr(equals + 1));
  }
  return names;
}

void add_group_names(const GroupNames& names, Run& run) {
  GroupNames all = names;
  for (const Run::Group& g : run.groups) all[g.group] = run.texts[g.name];
  run.groups.clear();
  for (const auto& [id, name] : all) {
    if (!name.empty()) run.groups.push_back({id, run.texts.add(name)});
  }
}

}  // namespace convert
