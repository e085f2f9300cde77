// SPDX-License-Identifier: MIT
#include "config/network/imports/nccl_machine.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "config/network/imports/nccl_odd_gpus.h"
#include "config/xml_document.h"
#include "core/units.h"

namespace convert {
namespace {

constexpr std::size_t max_xml_bytes = 16 << 20;
constexpr std::uint32_t max_pci_depth = 64;
constexpr std::size_t max_cpus = 4096;
constexpr std::uint32_t max_cpus_of_host = 256;  // CPUs of a host are fully connected

// Maps a PCI class to a device kind by its prefix; bridges and unknown classes are switches.
NcclDeviceKind kind_of_class(std::string_view pci_class) {
  if (pci_class.starts_with("0x068000")) return NcclDeviceKind::nvswitch;
  if (pci_class.starts_with("0x068001")) return NcclDeviceKind::cpu;
  if (pci_class.starts_with("0x03") || pci_class.starts_with("0x1200")) return NcclDeviceKind::gpu;
  if (pci_class.starts_with("0x02")) return NcclDeviceKind::nic;
  return NcclDeviceKind::pci;
}

std::string as_bus_id(std::string_view text) {
  std::string id(text);
  for (char& c : id) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return id;
}

std::string name_of_bus(std::string_view prefix, std::string_view bus_id) {
  std::string name = std::string(prefix) + std::string(bus_id);
  std::ranges::replace(name, ':', '_');
  return name;
}

// Link of a GPU, resolved after all GPUs are read.
struct LaterLink {
  std::uint32_t from;
  std::uint32_t cpu;
  NcclDeviceKind to;
  std::string target;
  std::int64_t count;
  double bytes_per_ns;
  Location where;
  std::size_t gpu;  // index into NcclMachine::gpu_links; no_gpu: does not belong to a GPU
};
constexpr std::size_t no_gpu = static_cast<std::size_t>(-1);

class MachineReader {
 public:
  MachineReader(const std::string& name, std::string_view text, const NcclReading& how)
      : document_(std::string(text), name, {.noun = "a topology of NCCL", .root = "system"}), how_(how) {}

  NcclMachine read() {
    const pugi::xml_node root = document_.root();
    if (std::string_view(root.name()) != "system")
      throw error(root, "the root must be <system>, not <" + std::string(root.name()) + ">");
    const std::string_view version = root.attribute("version").value();
    if (!version.empty() && version != "1" && version != "2")  // versions of NCCL and RCCL
      machine_.notes.push_back("version " + std::string(version.substr(0, 20)) +
                               " of topologies is read as version 1");
    for (const pugi::xml_node cpu : root.children("cpu")) read_cpu(cpu);
    check_ranks(root);
    join_cpus();
    for (const LaterLink& link : later_) join_later(link);
    if (nowhere_ != 0)
      machine_.notes.push_back(counted(nowhere_, "link") + (nowhere_ == 1 ? " leads" : " lead") +
                               " to a missing device, first in line " + std::to_string(first_nowhere_) +
                               ": omitted");
    if (to_self_ != 0)
      machine_.notes.push_back(
          counted(to_self_, "link") +
          (to_self_ == 1 ? " leads back to its own device" : " lead back to their own device") +
          ", first in line " + std::to_string(first_to_self_) + ": omitted");
    check_symmetry();
    note_odd_gpus(machine_);
    return std::move(machine_);
  }

 private:
  [[nodiscard]] Error error(pugi::xml_node at, const std::string& message) const {
    return input_error(document_.at(at), message, "network");
  }

  // Returns a whole number, hexadecimal after 0x; `otherwise` if the attribute is missing or empty.
  [[nodiscard]] std::int64_t whole(pugi::xml_node node, const char* attribute, std::int64_t low, std::int64_t high,
                                   std::int64_t otherwise) const {
    const std::string_view text = node.attribute(attribute).value();
    if (text.empty()) return otherwise;
    std::int64_t value = 0;
    const bool hex = text.starts_with("0x");
    const char* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
    if (failure == std::errc{} && stop == end && value >= low && value <= high) return value;
    throw error(node, std::string(attribute) + " of <" + node.name() + "> requires a whole number from " +
                          std::to_string(low) + " to " + std::to_string(high) + ", not '" +
                          std::string(text.substr(0, 40)) + "'");
  }
  [[nodiscard]] std::int64_t need(pugi::xml_node node, const char* attribute, std::int64_t low,
                                  std::int64_t high) const {
    if (*node.attribute(attribute).value() == '\0')
      throw error(node, std::string("<") + node.name() + "> has no " + attribute);
    return whole(node, attribute, low, high, low);
  }
  // Returns a rate or latency, a finite number; `otherwise` if the attribute is missing.
  [[nodiscard]] double number(pugi::xml_node node, const char* attribute, double otherwise) const {
    constexpr double most = 1e12;
    const std::string_view text = node.attribute(attribute).value();
    if (text.empty()) return otherwise;
    const std::optional<double> value = parse_number(text);
    if (value && *value <= most) return *value;
    throw error(node, std::string(attribute) + " of <" + node.name() + "> requires a number up to 1e12, not '" +
                          std::string(text.substr(0, 40)) + "'");
  }

  std::uint32_t add(NcclDevice device) {
    machine_.devices.push_back(std::move(device));
    return static_cast<std::uint32_t>(machine_.devices.size() - 1);
  }
  // Equal links of a pair are summed; for different kinds NCCL's preferred kind is kept.
  void link(std::uint32_t from, std::uint32_t to, NcclLinkKind kind, double bytes_per_ns) {
    const auto [found, is_new] =
        links_.emplace(std::uint64_t{from} << 32 | to, static_cast<std::uint32_t>(machine_.links.size()));
    if (is_new) {
      machine_.links.push_back({.from = from, .to = to, .kind = kind, .bytes_per_ns = bytes_per_ns});
      return;
    }
    NcclLink& old = machine_.links[found->second];
    if (old.kind == kind) {
      old.bytes_per_ns += bytes_per_ns;
    } else if (kind < old.kind) {
      old = {.from = from, .to = to, .kind = kind, .bytes_per_ns = bytes_per_ns};
    }
  }
  void link_both(std::uint32_t a, std::uint32_t b, NcclLinkKind kind, double bytes_per_ns) {
    link(a, b, kind, bytes_per_ns);
    link(b, a, kind, bytes_per_ns);
  }

  void read_cpu(pugi::xml_node node) {
    const std::string hash = node.attribute("host_hash").value();
    const auto [host, is_new] = hosts_.emplace(hash, machine_.hosts);
    if (is_new) ++machine_.hosts;
    host_ = host->second;
    const std::int64_t numa = whole(node, "numaid", -1, INT32_MAX, -1);
    const std::uint32_t cpu = add({.kind = NcclDeviceKind::cpu,
                                   .host = host_,
                                   .number = numa,
                                   .name = numa < 0 ? "cpu" : "cpu" + std::to_string(numa)});
    if (!cpus_.emplace(std::pair(host_, numa), cpu).second)
      throw error(node, "a second CPU with numaid " + std::to_string(numa) + " of its host");
    if (cpu_rates_.size() == max_cpus || ++cpus_of_host_[host_] > max_cpus_of_host)
      throw error(node, "more than " + std::to_string(max_cpus_of_host) + " CPUs in a host, or 4096 in total");
    cpu_rates_.emplace_back(cpu, nccl_cpu_rate(node.attribute("arch").value(), node.attribute("vendor").value(),
                                               whole(node, "familyid", INT32_MIN, INT32_MAX, 0),
                                               whole(node, "modelid", INT32_MIN, INT32_MAX, 0)));
    cpu_ = cpu;
    for (const pugi::xml_node pci : node.children("pci")) read_pci(pci, cpu, 1);
    std::optional<std::uint32_t> card;
    for (const pugi::xml_node nic : node.children("nic")) {
      if (!card) {
        card = add({.kind = NcclDeviceKind::nic,
                    .host = host_,
                    .name = "nic" + machine_.devices[cpu].name.substr(std::string_view("cpu").size()) + "_cpu"});
        link_both(*card, cpu, NcclLinkKind::pci, nccl_local_rate);
      }
      read_nets(nic, *card);
    }
  }

  void read_pci(pugi::xml_node node, std::uint32_t parent, std::uint32_t depth) {
    if (depth > max_pci_depth)
      throw error(node, "PCI devices nested more than " + std::to_string(max_pci_depth) + " deep");
    const std::string bus_id = as_bus_id(node.attribute("busid").value());
    if (bus_id.empty()) throw error(node, "<pci> has no busid");
    const double rate =
        nccl_pci_rate(node.attribute("link_speed").value(), whole(node, "link_width", 0, 64, 0), how_.rates);
    if (node.child("gpu")) return read_gpu(node, bus_id, parent, rate);
    if (node.child("nic")) {
      const std::string card = bus_id.substr(0, bus_id.find('.'));  // ports of a card form one device
      const auto [found, is_new] = cards_.emplace(std::pair(host_, card), std::uint32_t{0});
      if (is_new) {
        found->second = add({.kind = NcclDeviceKind::nic, .host = host_, .name = name_of_bus("nic", card)});
        link_both(found->second, parent, NcclLinkKind::pci, rate);
      }
      for (const pugi::xml_node nic : node.children("nic")) read_nets(nic, found->second);
      return;
    }
    if (kind_of_class(node.attribute("class").value()) != NcclDeviceKind::pci) return;
    const std::uint32_t bridge =
        add({.kind = NcclDeviceKind::pci, .host = host_, .name = name_of_bridge(node, bus_id)});
    bridges_.emplace(std::pair(host_, bus_id), bridge);  // links lead to the first bridge with a given number, as
                                                         // in NCCL
    link_both(bridge, parent, NcclLinkKind::pci, rate);
    for (const pugi::xml_node child : node.children("pci")) read_pci(child, bridge, depth + 1);
    for (const pugi::xml_node other : node.children("pcilink"))
      read_later(other, bridge, NcclDeviceKind::pci, nccl_local_rate, 1);
  }

  // NCCL creates a bridge for each element, even if another bridge has the same number.
  std::string name_of_bridge(pugi::xml_node node, const std::string& bus_id) {
    const std::string name = name_of_bus("pci", bus_id);
    auto& [count, line] = bridge_lines_[std::pair(host_, bus_id)];
    if (++count == 1) {
      line = document_.at(node).line;
      return name;
    }
    machine_.notes.push_back("busid " + bus_id + " in line " + std::to_string(document_.at(node).line) +
                             " is also in line " + std::to_string(line) + ": read as a second bridge");
    return name + "_" + std::to_string(count);
  }

  void read_gpu(pugi::xml_node pci, const std::string& bus_id, std::uint32_t parent, double rate) {
    const pugi::xml_node node = pci.child("gpu");
    if (node.next_sibling("gpu"))
      throw error(node.next_sibling("gpu"), "a second GPU at one busid (MLOPart) is not supported");
    if (const auto [first, is_new] = gpu_lines_.emplace(std::pair(host_, bus_id), document_.at(pci).line); !is_new)
      throw error(
          pci, "busid " + bus_id + " of a GPU is repeated, first given in line " + std::to_string(first->second));
    if (!node.attribute("rank") && !how_.ranks_by_device) {
      ++without_rank_;
      outside_.emplace(std::pair(host_, bus_id), true);
      return;
    }
    const std::int64_t rank =
        how_.ranks_by_device ? need(node, "dev", 0, INT32_MAX) : need(node, "rank", 0, INT32_MAX);
    const std::uint32_t gpu = add({.kind = NcclDeviceKind::gpu, .host = host_, .number = rank});
    ranks_.push_back({how_.ranks_by_device ? host_ : 0, rank, gpu, document_.at(node)});
    gpus_.emplace(std::pair(host_, bus_id), gpu);
    link_both(gpu, parent, NcclLinkKind::pci, rate);
    const std::int64_t sm = whole(node, "sm", 0, INT32_MAX, 0);
    const double nvlink = nccl_nvlink_rate(sm, how_.rates);
    NcclGpu& noted = machine_.gpu_links.emplace_back(
        NcclGpu{.host = host_, .device = gpu, .sm = node.attribute("gcn") ? 0 : sm, .pci_bytes_per_ns = rate});
    noted.is_amd = !node.attribute("gcn").empty() || !node.child("xgmi").empty();
    const std::size_t among_gpus = machine_.gpu_links.size() - 1;
    for (const pugi::xml_node l : node.children("nvlink")) {
      noted.states_links = true;
      read_later(l, gpu, kind_of_class(l.attribute("tclass").as_string("0x068000")), nvlink,
                 need(l, "count", 0, 1'000'000), among_gpus);
    }
    for (const pugi::xml_node l : node.children("xgmi")) {
      noted.states_links = true;
      if (how_.rates == NcclRates::nominal) throw error(l, "nominal rates of xGMI are unknown; use rates=nccl");
      read_later(l, gpu, kind_of_class(l.attribute("tclass").as_string("0x120000")),
                 rccl_xgmi_rate(node.attribute("gcn").value()), need(l, "count", 0, 1'000'000), among_gpus);
    }
    for (const pugi::xml_node l : node.children("c2c")) {
      const double c2c = number(l, "bw", 0) * static_cast<double>(need(l, "count", 0, 1'000'000)) / 1000;
      if (!(c2c > 0)) throw error(l, "<c2c> has no bandwidth");
      link_both(gpu, cpu_, NcclLinkKind::c2c, c2c);
      noted.has_c2c = true;
    }
  }

  void read_later(pugi::xml_node node, std::uint32_t from, NcclDeviceKind to, double rate, std::int64_t count,
                  std::size_t gpu = no_gpu) {
    if (count == 0) return;
    later_.push_back(
        {from, cpu_, to, as_bus_id(node.attribute("target").value()), count, rate, document_.at(node), gpu});
  }

  void read_nets(pugi::xml_node nic, std::uint32_t card) {
    for (const pugi::xml_node node : nic.children("net")) {
      if (!node.attribute("dev") || whole(node, "net", 0, 1, 1) == 0) continue;
      if (node.attribute("keep") && whole(node, "keep", 0, INT32_MAX, 1) != 1) continue;
      const std::int64_t dev = need(node, "dev", 0, INT32_MAX);
      const double mbit_per_s = number(node, "speed", 0);
      const auto [net, is_new] = nets_.emplace(std::pair(host_, dev), std::uint32_t{0});
      if (is_new) {
        const std::int64_t rail = whole(node, "rail", -1, INT32_MAX, -1);
        net->second = add({.kind = NcclDeviceKind::net,
                           .host = host_,
                           .number = rail >= 0 ? rail : dev,
                           .name = "net" + std::to_string(dev),
                           .latency_us = std::max(0.0, number(node, "latency", 0))});
      }
      link_both(card, net->second, NcclLinkKind::net, (mbit_per_s > 0 ? mbit_per_s : 10000) / 8000);
    }
  }

  // Checks that ranks are 0 to n-1, each once; with ranks=dev, assigns them.
  void check_ranks(pugi::xml_node root) {
    std::ranges::sort(ranks_, {}, [](const Ranked& r) { return std::tuple(r.host, r.rank, r.gpu); });
    if (ranks_.empty()) {
      throw error(root, without_rank_ != 0
                            ? "no GPU has a rank, as in files for NCCL_TOPO_FILE; add ranks=dev"
                            : "no <gpu> has a rank: NCCL adds ranks at run time; use the dump of a run "
                              "(NCCL_TOPO_DUMP_FILE)");
    }
    if (without_rank_ != 0)
      machine_.notes.push_back(counted(without_rank_, "GPU") + " without a rank omitted: outside the communicator");
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const Ranked& r = ranks_[i];
      if (i != 0 && ranks_[i - 1].host == r.host && ranks_[i - 1].rank == r.rank)
        throw input_error(r.where,
                          (how_.ranks_by_device ? "dev " : "rank ") + std::to_string(r.rank) +
                              " is repeated, first given in line " + std::to_string(ranks_[i - 1].where.line),
                          "network");
      if (!how_.ranks_by_device && r.rank != static_cast<std::int64_t>(i))
        throw input_error(r.where, "rank " + std::to_string(i) + " is missing; a file must have the ranks 0 to n-1",
                          "network");
      machine_.devices[r.gpu].number = static_cast<std::int64_t>(i);
    }
    for (NcclDevice& d : machine_.devices) {
      if (d.kind == NcclDeviceKind::gpu) d.name = "gpu" + std::to_string(d.number);
    }
    machine_.gpus = static_cast<std::uint32_t>(ranks_.size());
  }

  void join_cpus() {
    for (const auto& [a, rate] : cpu_rates_) {
      for (const auto& [b, other] : cpu_rates_) {
        if (a != b && machine_.devices[a].host == machine_.devices[b].host)
          link(a, b, NcclLinkKind::between_cpus, rate);
      }
    }
  }

  void join_later(const LaterLink& l) {
    if (joins(l) && l.gpu != no_gpu) machine_.gpu_links[l.gpu].links += l.count;
  }
  // Returns whether the link leads to another device, which may be a GPU outside the communicator.
  bool joins(const LaterLink& l) {
    const std::uint32_t host = machine_.devices[l.from].host;
    const double rate = static_cast<double>(l.count) * l.bytes_per_ns;
    if (l.to == NcclDeviceKind::cpu) {
      link_both(l.from, l.cpu, NcclLinkKind::nvlink, rate);
      return true;
    }
    if (l.to != NcclDeviceKind::gpu && machine_.devices[l.from].kind == NcclDeviceKind::gpu) {
      link_both(l.from, nvswitch(host, l.target), NcclLinkKind::nvlink, rate);
      return true;
    }
    const auto& targets = l.to == NcclDeviceKind::gpu ? gpus_ : bridges_;
    const auto target = targets.find(std::pair(host, l.target));
    if (target == targets.end()) {
      if (outside_.contains(std::pair(host, l.target))) return true;
      if (nowhere_++ == 0) first_nowhere_ = l.where.line;
      return false;
    }
    if (target->second == l.from) {
      if (to_self_++ == 0) first_to_self_ = l.where.line;
      return false;
    }
    link(l.from, target->second, l.to == NcclDeviceKind::gpu ? NcclLinkKind::nvlink : NcclLinkKind::pci, rate);
    return true;
  }

  // NCCL merges all NVSwitches into one. If the switches are outside the hosts, all hosts share it.
  std::uint32_t nvswitch(std::uint32_t host, std::string_view target) {
    const bool shared = machine_.hosts > 1 && target.starts_with("fffffff:");
    machine_.shares_nvswitch = machine_.shares_nvswitch || shared;
    const auto [found, is_new] = nvswitches_.emplace(shared ? UINT32_MAX : host, std::uint32_t{0});
    if (is_new)
      found->second = add({.kind = NcclDeviceKind::nvswitch, .host = shared ? 0 : host, .name = "nvswitch"});
    return found->second;
  }

  void check_symmetry() {
    std::size_t uneven = 0;
    std::string first;
    for (const NcclLink& l : machine_.links) {
      const auto back = links_.find(std::uint64_t{l.to} << 32 | l.from);
      if (back != links_.end() && machine_.links[back->second].bytes_per_ns == l.bytes_per_ns) continue;
      if (l.kind == NcclLinkKind::between_cpus) continue;
      if (uneven++ == 0) first = machine_.devices[l.from].name + " to " + machine_.devices[l.to].name;
    }
    if (uneven != 0) machine_.notes.push_back("asymmetric NVLinks, such as from " + first);
  }

  struct Ranked {
    std::uint32_t host;
    std::int64_t rank;
    std::uint32_t gpu;
    Location where;
  };
  using ByHost = std::pair<std::uint32_t, std::string>;

  XmlDocument document_;
  const NcclReading& how_;
  NcclMachine machine_;
  std::unordered_map<std::string, std::uint32_t> hosts_;  // by hash
  std::uint32_t host_ = 0;                                // of the current element
  std::uint32_t cpu_ = 0;
  std::map<std::uint32_t, std::uint32_t> cpus_of_host_;
  std::uint64_t without_rank_ = 0;
  std::uint64_t nowhere_ = 0;  // links with a missing target
  std::uint32_t first_nowhere_ = 0;
  std::uint64_t to_self_ = 0;  // links from a device to itself
  std::uint32_t first_to_self_ = 0;
  std::vector<Ranked> ranks_;
  std::vector<std::pair<std::uint32_t, double>> cpu_rates_;
  std::vector<LaterLink> later_;
  std::unordered_map<std::uint64_t, std::uint32_t> links_;  // from (from, to) to the index in links
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> cpus_;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> nets_;
  std::map<ByHost, std::uint32_t> gpus_;  // busids are separate for each kind of device, as in NCCL
  std::map<ByHost, std::uint32_t> bridges_;
  std::map<ByHost, std::uint32_t> cards_;
  std::map<ByHost, std::uint32_t> gpu_lines_;
  std::map<ByHost, std::pair<std::uint32_t, std::uint32_t>> bridge_lines_;  // count, and line of the first
  std::map<ByHost, bool> outside_;                                          // GPUs without a rank
  std::map<std::uint32_t, std::uint32_t> nvswitches_;
};

}  // namespace

NcclMachine read_nccl_machine(const std::string& name, std::string_view text, const NcclReading& how) {
  if (text.size() > max_xml_bytes)
    throw input_error({.file = name}, "larger than 16 MiB, the limit of an NCCL topology", "network");
  return MachineReader(name, text, how).read();
}

}  // namespace convert
