// SPDX-License-Identifier: MIT
// Reads topologies of NCCL and RCCL (NCCL_TOPO_DUMP_FILE) as networks, with the options of et-networks(5).
#include <algorithm>

#include "config/network/imports/import.h"
#include "config/network/imports/nccl_fabric.h"
#include "config/network/imports/nccl_machine.h"
#include "core/diagnostic.h"
#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

Error nccl_option_error(const FileArgument& file, const std::string& why) {
  return usage_error("network '" + file.path + "': " + why);
}

// Parses "nvlink:500ns,pci:700ns", or one time for the network; the option may be repeated for other kinds.
void set_latencies(const FileArgument& file, NcclJoining& how) {
  for (const auto& [key, value] : file.options) {
    if (key != "lat") continue;
    for (const std::string& piece : split(value, ',')) {
      const std::size_t colon = piece.find(':');
      const std::string kind = colon == std::string::npos ? "net" : piece.substr(0, colon);
      const std::optional<Picoseconds> time = parse_time(piece.substr(colon == std::string::npos ? 0 : colon + 1));
      const std::vector<std::string> kinds = {"nvlink", "pci", "net"};
      if (std::ranges::find(kinds, kind) == kinds.end())
        throw nccl_option_error(file, "unknown kind of latency '" + kind + "'" + hint_for(kind, kinds));
      if (!time)
        throw nccl_option_error(file,
                                "lat requires times such as nvlink:500ns,pci:700ns,net:2us, not '" + piece + "'");
      if (kind == "nvlink") how.nvlink_ps = *time;
      if (kind == "pci") how.pci_ps = *time;
      if (kind == "net") how.net_ps = *time;
    }
  }
}

NcclJoining joining_of(const FileArgument& file) {
  NcclJoining how;
  const std::vector<std::string> fabrics = {"none", "switch", "rail", "leaf-spine"};
  how.fabric = static_cast<NcclFabric>(file.choice("fabric", fabrics));
  how.copies = file.whole("hosts", 1, max_npus, 1);
  how.hosts_of_leaf = file.whole("leaf", 1, max_npus, 1);
  if (const std::optional<std::string> over = file.get("over")) {
    how.oversubscription = parse_number(*over).value_or(0);
    if (how.oversubscription < 1)
      throw nccl_option_error(file, "over requires a number of at least 1, not '" + *over + "'");
  }
  if (how.fabric != NcclFabric::leaf_spine && (file.get("leaf") || file.get("over")))
    throw nccl_option_error(file, "leaf and over require fabric=leaf-spine");
  if (how.copies > 1 && how.fabric == NcclFabric::none)
    throw nccl_option_error(
        file, "hosts=" + std::to_string(how.copies) + " requires fabric=rail, fabric=switch or fabric=leaf-spine");
  set_latencies(file, how);
  return how;
}

bool sniff_nccl_topology(std::string_view text) { return first_element(text) == "system"; }

NetworkConfig read_nccl_topology(const ImportSource& source) {
  const NcclJoining joining = joining_of(source.file);
  NcclReading reading;
  reading.rates = static_cast<NcclRates>(source.file.choice("rates", {"nccl", "nominal"}));
  reading.ranks_by_device = source.file.choice("ranks", {"rank", "dev"}) == 1;
  return join_nccl_machines(source.name, read_nccl_machine(source.name, source.text, reading), joining);
}

}  // namespace

extern const NetworkImport nccl_topology_import;
const NetworkImport nccl_topology_import = {.noun = "a topology of NCCL",
                                            .keys = {"hosts", "fabric", "leaf", "over", "lat", "rates", "ranks"},
                                            .sniff = sniff_nccl_topology,
                                            .read = read_nccl_topology};

}  // namespace convert
