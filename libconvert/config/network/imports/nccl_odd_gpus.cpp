// SPDX-License-Identifier: MIT
#include "config/network/imports/nccl_odd_gpus.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

using Gpus = std::vector<const NcclGpu*>;

// Compute capabilities of server GPUs that have NVLink, except for PCIe cards.
constexpr std::array<std::int64_t, 5> with_nvlink = {70, 80, 90, 100, 103};

std::string ranks_of(const NcclMachine& machine, const Gpus& gpus) {
  constexpr std::size_t most = 8;
  std::string text = gpus.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(most, gpus.size()); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(machine.devices[gpus[i]->device].number);
  return text + (gpus.size() > most ? ", …" : "");
}

std::string gpus_of(const NcclGpu& like, std::size_t count, const char* noun = "GPU") {
  return counted(count, noun) + (like.sm == 0 ? "" : " of sm " + std::to_string(like.sm));
}

// Finds the only GPU whose `value` differs from three or more equal GPUs.
template <class Value, class Describe>
void find_odd_one(NcclMachine& machine, const Gpus& gpus, const Value& value, const Describe& describe) {
  std::map<decltype(value(*gpus[0])), Gpus> by_value;
  for (const NcclGpu* gpu : gpus) by_value[value(*gpu)].push_back(gpu);
  if (by_value.size() != 2 || gpus.size() < 4) return;
  const Gpus& a = by_value.begin()->second;
  const Gpus& b = by_value.rbegin()->second;
  if (a.size() != 1 && b.size() != 1) return;
  const Gpus& odd = a.size() == 1 ? a : b;
  const Gpus& rest = a.size() == 1 ? b : a;
  machine.notes.push_back(ranks_of(machine, odd) + " has " + describe(*odd[0]) + ", " +
                          gpus_of(*rest[0], rest.size(), "other GPU") + " have " + describe(*rest[0]));
}

// Adds a note if GPUs lack NVLink although others have it, or their capability implies it. Returns whether it
// did.
bool lacks_links(NcclMachine& machine, const Gpus& gpus) {
  Gpus without;
  for (const NcclGpu* gpu : gpus) {
    if (gpu->links == 0) without.push_back(gpu);
  }
  if (without.empty()) return false;
  std::string element = gpus[0]->is_amd ? "<xgmi>" : "<nvlink>";
  if (std::ranges::all_of(without, &NcclGpu::states_links)) element += " to another device";
  const bool c2c = std::ranges::all_of(without, &NcclGpu::has_c2c);
  const std::string over = c2c ? "messages use C2C" : "messages use PCI";
  const auto note = [&](const std::string& lack, const std::string& rest) {
    if (machine.lacks_links.empty()) machine.lacks_links = lack;
    machine.notes.push_back(lack + rest);
    return true;
  };
  if (without.size() != gpus.size()) {
    return note(ranks_of(machine, without) + (without.size() == 1 ? " has" : " have") + " no " + element +
                    ", unlike " + gpus_of(*gpus[0], gpus.size() - without.size(), "other GPU"),
                ": " + over);
  }
  const bool has_neighbours =
      std::ranges::any_of(gpus, [&](const NcclGpu* gpu) { return gpu != gpus[0] && gpu->host == gpus[0]->host; });
  if (!has_neighbours || std::ranges::find(with_nvlink, gpus[0]->sm) == with_nvlink.end()) return false;
  return note(gpus_of(*gpus[0], gpus.size()) + " have no " + element,
              ", so " + over + "; unless they are PCIe cards, use the dump of a run (NCCL_TOPO_DUMP_FILE)");
}

}  // namespace

void note_odd_gpus(NcclMachine& machine) {
  std::map<std::int64_t, Gpus> by_sm;
  for (const NcclGpu& gpu : machine.gpu_links) by_sm[gpu.sm].push_back(&gpu);
  for (const auto& [sm, gpus] : by_sm) {
    if (!lacks_links(machine, gpus)) {
      find_odd_one(
          machine, gpus, [](const NcclGpu& g) { return g.links; },
          [](const NcclGpu& g) { return counted(g.links, g.is_amd ? "xGMI link" : "NVLink"); });
    }
    find_odd_one(
        machine, gpus, [](const NcclGpu& g) { return g.pci_bytes_per_ns; },
        [](const NcclGpu& g) { return "PCI of " + format_bytes_per_ns(g.pci_bytes_per_ns); });
  }
}

}  // namespace convert
