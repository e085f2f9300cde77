// SPDX-License-Identifier: MIT
#include "formats/flexflow/task_devices.h"

#include <array>

#include "config/devices/device_matcher.h"
#include "core/units.h"

namespace convert::flexflow {
namespace {

constexpr std::uint32_t unknown = 0xffffffff;  // not looked up yet

class Matcher {
 public:
  Matcher(const TaskGraph& graph, const DeviceMap& map)
      : graph_(graph), map_(map), matcher_(map), used_(map.entries.size()) {
    for (auto& cache : cache_) cache.assign(graph.texts.size(), unknown);
  }

  // Returns the entry of a task, or null.
  [[nodiscard]] const DeviceEntry* find(const Task& t) {
    std::uint32_t index = matcher_.by_number(t.number);
    if (index == DeviceMatcher::no_entry) {
      const bool transfer = t.kind == TaskKind::transfer;
      std::uint32_t& known = cache_[transfer][t.name];
      if (known == unknown) known = matcher_.by_name(graph_.texts.view(t.name), transfer);
      index = known;
    }
    if (index == DeviceMatcher::no_entry) return nullptr;
    used_[index] = true;
    return &map_.entries[index];
  }
  [[nodiscard]] bool used(std::size_t entry) const { return used_[entry]; }

 private:
  const TaskGraph& graph_;
  const DeviceMap& map_;
  DeviceMatcher matcher_;
  std::array<std::vector<std::uint32_t>, 2> cache_;  // by name; the second is for transfers
  std::vector<bool> used_;
};

void refuse_unmatched(const TaskGraph& graph, const DeviceMap& map, const std::vector<std::uint32_t>& unmatched,
                      std::size_t count) {
  if (count == 0) return;
  std::string list;
  for (const std::uint32_t i : unmatched) list += (list.empty() ? "" : ", ") + graph.describe(graph.tasks[i]);
  if (count > unmatched.size()) list += ", …";
  throw input_error(
      graph.locate(graph.tasks[unmatched[0]]),
      counted(count, "task") + (count == 1 ? " has" : " have") + " no entry in " + map.file + ": " + list,
      "devices");
}

void place(const TaskGraph& graph, const DeviceMap& map, const DeviceEntry& e, Task& t) {
  const bool transfer = t.kind == TaskKind::transfer;
  if (transfer != e.peer.has_value()) {
    throw input_error(map.locate(e),
                      graph.describe(t) + " is a " + std::string(graph.texts.view(t.type)) + " task: " +
                          (transfer ? "the device map must give its source and destination"
                                    : "the device map must give one rank"),
                      "devices");
  }
  t.rank = e.rank;
  if (!transfer) return;
  t.bytes = e.bytes.value_or(0);
  if (*e.peer == e.rank) {
    t.kind = TaskKind::compute;
  } else {
    t.peer = *e.peer;
  }
}

}  // namespace

void place_tasks(TaskGraph& graph, const DeviceMap& map, Diagnostics& diagnostics) {
  constexpr std::size_t shown = 10;
  Matcher matcher(graph, map);
  std::vector<std::uint32_t> unmatched;
  std::size_t unmatched_count = 0;
  std::size_t unsized = 0;
  const DeviceEntry* first_unsized = nullptr;
  for (std::uint32_t i = 0; i < graph.tasks.size(); ++i) {
    Task& t = graph.tasks[i];
    const DeviceEntry* const e = matcher.find(t);
    if (e == nullptr) {
      if (unmatched_count++ < shown) unmatched.push_back(i);
      continue;
    }
    place(graph, map, *e, t);
    if (e->peer && !e->bytes && unsized++ == 0) first_unsized = e;
  }
  refuse_unmatched(graph, map, unmatched, unmatched_count);
  for (std::size_t i = 0; i < map.entries.size(); ++i) {
    if (matcher.used(i)) continue;
    diagnostics.warning(map.locate(map.entries[i]), "devices",
                        "'" + map.entries[i].key + "' matches no task of " + graph.file);
  }
  if (unsized != 0) {
    diagnostics.warning(map.locate(*first_unsized), "devices",
                        counted(unsized, "transfer") + (unsized == 1 ? " has" : " have") +
                            " no size in the map; 0 bytes are assumed");
  }
}

}  // namespace convert::flexflow
