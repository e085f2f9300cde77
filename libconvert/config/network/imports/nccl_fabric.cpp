// SPDX-License-Identifier: MIT
#include "config/network/imports/nccl_fabric.h"

#include <algorithm>
#include <map>
#include <utility>

#include "config/network/imports/graph_draft.h"

namespace convert {
namespace {

// Link weights that reproduce NCCL's preferences: NVLink first, then few PCI bridges, then a CPU, then a link
// between CPUs. Routes leave a machine only to reach another one.
std::uint32_t weight_of(NcclLinkKind kind) {
  switch (kind) {
    case NcclLinkKind::nvlink: return 1;
    case NcclLinkKind::c2c: return 2;
    case NcclLinkKind::pci: return 4;
    case NcclLinkKind::between_cpus: return 16;
    case NcclLinkKind::net: return 1024;
  }
  return 1;
}

// Removes network devices unless they lead somewhere, then repeatedly removes devices with at most one neighbour.
void drop_dead_ends(NcclMachine& machine, bool keeps_nets) {
  const auto is_end = [&](NcclDeviceKind kind) {
    return kind == NcclDeviceKind::gpu || (keeps_nets && kind == NcclDeviceKind::net);
  };
  std::vector<std::uint32_t> neighbours(machine.devices.size(), 0);
  std::vector<std::vector<std::uint32_t>> towards(machine.devices.size());
  for (const NcclLink& l : machine.links) {
    ++neighbours[l.from];  // links to and from a switch come in pairs
    towards[l.from].push_back(l.to);
  }
  std::vector<std::uint32_t> open;
  for (std::uint32_t d = 0; d < machine.devices.size(); ++d) {
    const NcclDeviceKind kind = machine.devices[d].kind;
    if (!is_end(kind) && (neighbours[d] <= 1 || kind == NcclDeviceKind::net)) open.push_back(d);
  }
  std::vector<char> gone(machine.devices.size(), 0);
  while (!open.empty()) {
    const std::uint32_t d = open.back();
    open.pop_back();
    if (std::exchange(gone[d], 1) != 0) continue;
    for (const std::uint32_t other : towards[d]) {
      if (gone[other] == 0 && --neighbours[other] <= 1 && !is_end(machine.devices[other].kind))
        open.push_back(other);
    }
  }
  std::vector<std::uint32_t> now(machine.devices.size(), 0);
  std::uint32_t next = 0;
  for (std::uint32_t d = 0; d < now.size(); ++d) {
    now[d] = next;
    if (gone[d] != 0) continue;
    if (next != d) machine.devices[next] = std::move(machine.devices[d]);
    ++next;
  }
  machine.devices.resize(next);
  std::erase_if(machine.links, [&](const NcclLink& l) { return gone[l.from] != 0 || gone[l.to] != 0; });
  for (NcclLink& l : machine.links) l = {now[l.from], now[l.to], l.kind, l.bytes_per_ns};
}

class Joiner {
 public:
  Joiner(const std::string& name, const NcclMachine& machine, const NcclJoining& how)
      : name_(name), machine_(machine), how_(how), hosts_(machine.hosts * static_cast<std::uint64_t>(how.copies)) {
    number_devices();
    number_fabric();
  }

  NetworkConfig join() {
    const auto copies = static_cast<std::uint64_t>(how_.copies);
    GraphDraft draft(machine_.gpus * copies, switches_ * copies + fabric_names_.size(), {.file = name_});
    first_fabric_ = static_cast<Device>((machine_.gpus + switches_) * copies);
    draft.set_switch_names(names());
    for (std::uint64_t copy = 0; copy < copies; ++copy) {
      for (const NcclLink& l : machine_.links) {
        draft.add({.from = device(l.from, copy),
                   .to = device(l.to, copy),
                   .bytes_per_ns = l.bytes_per_ns,
                   .latency_ps = latency_of(l.kind),
                   .weight = weight_of(l.kind)},
                  {.file = name_});
      }
      add_fabric(draft, copy);
    }
    add_spine(draft);
    const bool apart = hosts_ > 1 && how_.fabric == NcclFabric::none;
    NetworkConfig config{.source = name_};
    config.graph = draft.finish((machine_.lacks_links.empty() ? "" : ", because " + machine_.lacks_links) +
                                (apart ? "; join the hosts with fabric=rail, switch or leaf-spine" : ""));
    config.notes = machine_.notes;
    config.remarks = machine_.remarks;
    add_notes(config);
    return config;
  }

 private:
  // NVSwitches come first, so that equal routes use the NPU next to the network card, as in NCCL.
  void number_devices() {
    index_.assign(machine_.devices.size(), 0);
    for (const bool nvswitch : {true, false}) {
      for (std::uint32_t d = 0; d < index_.size(); ++d) {
        const NcclDevice& device = machine_.devices[d];
        if (device.kind == NcclDeviceKind::gpu || (device.kind == NcclDeviceKind::nvswitch) != nvswitch) continue;
        order_.push_back(d);
        index_[d] = switches_++;
      }
    }
  }

  // Orders rails by their numbers; leaves come before the spine.
  void number_fabric() {
    if (how_.fabric == NcclFabric::one_switch) fabric_names_ = {"fabric"};
    if (how_.fabric == NcclFabric::rails) {
      for (const NcclDevice& d : machine_.devices) {
        if (d.kind == NcclDeviceKind::net) rails_.emplace(d.number, 0);
      }
      for (auto& [number, place] : rails_) {
        place = static_cast<std::uint32_t>(fabric_names_.size());
        fabric_names_.push_back("rail" + std::to_string(number));
      }
    }
    if (how_.fabric == NcclFabric::leaf_spine) {
      const auto per_leaf = static_cast<std::uint64_t>(how_.hosts_of_leaf);
      const std::uint64_t leaves = (hosts_ + per_leaf - 1) / per_leaf;
      if (leaves > (1U << 20U)) throw input_error({.file = name_}, "more than 2^20 leaf switches", "network");
      for (std::uint64_t l = 0; l < leaves; ++l) fabric_names_.push_back("leaf" + std::to_string(l));
      fabric_names_.emplace_back("spine");
      leaf_rates_.assign(leaves, 0);
    }
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (std::uint64_t copy = 0; copy < static_cast<std::uint64_t>(how_.copies); ++copy) {
      for (const std::uint32_t d : order_) {
        const NcclDevice& device = machine_.devices[d];
        const std::string host = std::to_string(host_of(device, copy));
        if (device.kind == NcclDeviceKind::nvswitch) {
          names.push_back(device.name + (machine_.shares_nvswitch ? std::to_string(copy) : host));
        } else {
          names.push_back(hosts_ > 1 ? "host" + host + "." + device.name : device.name);
        }
      }
    }
    names.insert(names.end(), fabric_names_.begin(), fabric_names_.end());
    return names;
  }
  [[nodiscard]] std::uint64_t host_of(const NcclDevice& d, std::uint64_t copy) const {
    return copy * machine_.hosts + d.host;
  }

  [[nodiscard]] Device device(std::uint32_t d, std::uint64_t copy) const {
    const NcclDevice& device = machine_.devices[d];
    if (device.kind == NcclDeviceKind::gpu)
      return static_cast<Device>(copy * machine_.gpus + static_cast<std::uint64_t>(device.number));
    return static_cast<Device>(machine_.gpus * static_cast<std::uint64_t>(how_.copies) + copy * switches_ +
                               index_[d]);
  }

  [[nodiscard]] Picoseconds latency_of(NcclLinkKind kind) const {
    if (kind == NcclLinkKind::nvlink || kind == NcclLinkKind::c2c) return how_.nvlink_ps;
    return kind == NcclLinkKind::net ? 0 : how_.pci_ps;
  }

  // Adds links between network devices and external switches, at the rate of the devices.
  void add_fabric(GraphDraft& draft, std::uint64_t copy) {
    if (how_.fabric == NcclFabric::none) return;
    for (const NcclLink& l : machine_.links) {
      const NcclDevice& net = machine_.devices[l.to];
      if (net.kind != NcclDeviceKind::net) continue;
      const Picoseconds of_file = round_to_ps(net.latency_us * 1000);
      const Picoseconds latency = how_.net_ps.value_or(of_file);
      no_latency_ = no_latency_ || latency == 0;
      add_up(draft, device(l.to, copy), first_fabric_ + fabric_switch(net, copy, l.bytes_per_ns), l.bytes_per_ns,
             latency);
    }
  }
  std::uint32_t fabric_switch(const NcclDevice& net, std::uint64_t copy, double bytes_per_ns) {
    if (how_.fabric == NcclFabric::rails) return rails_.at(net.number);
    if (how_.fabric == NcclFabric::one_switch) return 0;
    const std::uint64_t leaf = host_of(net, copy) / static_cast<std::uint64_t>(how_.hosts_of_leaf);
    leaf_rates_[leaf] += bytes_per_ns;
    return static_cast<std::uint32_t>(leaf);
  }
  void add_spine(GraphDraft& draft) {
    const auto spine = first_fabric_ + static_cast<Device>(leaf_rates_.size());
    for (std::size_t leaf = 0; leaf < leaf_rates_.size(); ++leaf) {
      if (leaf_rates_[leaf] > 0)
        add_up(draft, first_fabric_ + static_cast<Device>(leaf), spine, leaf_rates_[leaf] / how_.oversubscription,
               how_.net_ps.value_or(0));
    }
  }
  void add_up(GraphDraft& draft, Device a, Device b, double bytes_per_ns, Picoseconds latency) {
    GraphWire wire{.from = a,
                   .to = b,
                   .bytes_per_ns = bytes_per_ns,
                   .latency_ps = latency,
                   .weight = weight_of(NcclLinkKind::net)};
    draft.add_up(wire, {.file = name_});
    std::swap(wire.from, wire.to);
    draft.add_up(wire, {.file = name_});
  }

  void add_notes(NetworkConfig& config) const {
    if (no_latency_)
      config.notes.emplace_back("links between machines have no latency; add lat=net:TIME, such as lat=net:2us");
    config.remarks.push_back("default latencies: NVLink " + format_time(how_.nvlink_ps) + ", PCI " +
                             format_time(how_.pci_ps) +
                             (how_.fabric == NcclFabric::none
                                  ? ""
                                  : ", network " + (how_.net_ps ? format_time(*how_.net_ps) : "from the file")));
  }

  const std::string& name_;
  const NcclMachine& machine_;
  const NcclJoining& how_;
  std::uint64_t hosts_;
  std::uint32_t switches_ = 0;        // of a copy
  std::vector<std::uint32_t> order_;  // devices in the order of their numbers
  std::vector<std::uint32_t> index_;  // number by device
  std::vector<std::string> fabric_names_;
  std::map<std::int64_t, std::uint32_t> rails_;  // index by rail number
  std::vector<double> leaf_rates_;
  Device first_fabric_ = 0;
  bool no_latency_ = false;
};

}  // namespace

NetworkConfig join_nccl_machines(const std::string& name, NcclMachine machine, const NcclJoining& how) {
  const bool keeps_nets = how.fabric != NcclFabric::none;
  const auto nets =
      static_cast<std::uint64_t>(std::ranges::count(machine.devices, NcclDeviceKind::net, &NcclDevice::kind));
  if (!keeps_nets && nets != 0)
    machine.remarks.push_back(counted(nets, "network device") +
                              " omitted; join them with fabric=rail, switch or leaf-spine");
  drop_dead_ends(machine, keeps_nets);
  return Joiner(name, machine, how).join();
}

}  // namespace convert
