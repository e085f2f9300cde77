// SPDX-License-Identifier: MIT
#include <string_view>
#include <unordered_map>

#include "config/devices/device_matcher.h"
#include "core/units.h"
#include "sets/derived/splitting.h"

namespace convert {
namespace {

class MapPlaces {
 public:
  MapPlaces(const Trace& system, const DeviceMap& map)
      : system_(system), map_(map), matcher_(map), used_(map.entries.size()) {}

  [[nodiscard]] NodePlace place(std::size_t i) {
    const Node& n = system_.nodes.nodes[i];
    const auto attrs = system_.nodes.attributes(n);
    const bool transfer = is_task_transfer(attrs);
    const IntValue number = int_value(attrs, attr::task_id);
    std::uint32_t at = matcher_.by_number(number ? static_cast<std::uint64_t>(number.value) : n.id);
    if (at == DeviceMatcher::no_entry) {
      const auto [known, added] = by_name_[transfer].try_emplace(system_.nodes.name(n), 0);
      if (added) known->second = matcher_.by_name(system_.nodes.name(n), transfer);
      at = known->second;
    }
    if (at == DeviceMatcher::no_entry) return {};
    used_[at] = true;
    const DeviceEntry& e = map_.entries[at];
    if (transfer != e.peer.has_value()) {
      throw input_error(
          map_.locate(e),
          "node " + std::to_string(n.id) + " (" + std::string(system_.nodes.name(n)) + ") is " +
              (transfer ? "a transfer; expected source and destination" : "not a transfer; expected one rank"),
          "devices");
    }
    if (!transfer) return {.ranks = {.rank = e.rank}};
    if (!e.bytes && unsized_++ == 0) first_unsized_ = &e;
    return {.ranks = {.rank = e.rank, .peer = *e.peer == e.rank ? no_rank : *e.peer}, .bytes = e.bytes.value_or(0)};
  }

  void warn(Diagnostics& diagnostics) const {
    for (std::size_t i = 0; i < map_.entries.size(); ++i) {
      if (used_[i]) continue;
      diagnostics.warning(map_.locate(map_.entries[i]), "devices",
                          "'" + map_.entries[i].key + "' matches no node of " + system_.name);
    }
    if (unsized_ == 0) return;
    diagnostics.warning(
        map_.locate(*first_unsized_), "devices",
        counted(unsized_, "transfer") + (unsized_ == 1 ? " has" : " have") + " no size in the map: using 0 bytes");
  }

 private:
  const Trace& system_;
  const DeviceMap& map_;
  DeviceMatcher matcher_;
  std::vector<bool> used_;
  std::array<std::unordered_map<std::string_view, std::uint32_t>, 2> by_name_;  // index 1: transfers
  std::uint64_t unsized_ = 0;
  const DeviceEntry* first_unsized_ = nullptr;
};

}  // namespace

std::vector<NodePlace> places_by_map(const Trace& system, const DeviceMap& map, Diagnostics& diagnostics) {
  MapPlaces reader(system, map);
  std::vector<NodePlace> places;
  places.reserve(system.nodes.nodes.size());
  for (std::size_t i = 0; i < system.nodes.nodes.size(); ++i) places.push_back(reader.place(i));
  reader.warn(diagnostics);
  return places;
}

}  // namespace convert
