// SPDX-License-Identifier: MIT
#include "config/devices/device_matcher.h"

#include "core/diagnostic.h"
#include "core/units.h"
#include "util/glob.h"

namespace convert {
namespace {

std::optional<std::uint64_t> device_number(std::string_view key) {
  if (key.starts_with("node")) key.remove_prefix(4);
  return parse_unsigned(key);
}

}  // namespace

DeviceMatcher::DeviceMatcher(const DeviceMap& map) : map_(map) {
  for (std::uint32_t i = 0; i < map.entries.size(); ++i) {
    const DeviceEntry& e = map.entries[i];
    const bool transfer = e.peer.has_value();
    if (const auto number = device_number(e.key)) {
      const auto [before, is_new] = by_number_.try_emplace(*number, i);
      if (!is_new)
        throw input_error(map.locate(e),
                          "node" + std::to_string(*number) + " is repeated; first given in line " +
                              std::to_string(map.entries[before->second].line),
                          "devices");
    } else if (!e.is_pattern()) {
      by_name_[transfer].try_emplace(e.key, i);
    } else {
      patterns_[transfer].push_back(i);
      if (patterns_[0].size() + patterns_[1].size() > max_patterns)
        throw input_error(map.locate(e), "more than " + std::to_string(max_patterns) + " patterns", "devices");
    }
  }
}

std::uint32_t DeviceMatcher::by_name(std::string_view name, bool transfer) const {
  std::uint32_t best = no_entry;
  const auto exact = by_name_[transfer].find(name);
  if (exact != by_name_[transfer].end()) best = exact->second;
  for (const std::uint32_t i : patterns_[transfer]) {
    if (i > best) break;
    if (matches_glob(map_.entries[i].key, name)) return i;
  }
  return best;
}

}  // namespace convert
