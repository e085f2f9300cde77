// SPDX-License-Identifier: MIT
// Devices and links of an NCCL topology file, by the rules of NCCL's graph construction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/file_argument.h"
#include "config/network/imports/nccl_rates.h"
#include "core/diagnostic.h"

namespace convert {

enum class NcclDeviceKind : std::uint8_t { gpu, nvswitch, cpu, pci, nic, net };
enum class NcclLinkKind : std::uint8_t { nvlink, c2c, pci, between_cpus, net };

struct NcclDevice {
  NcclDeviceKind kind = NcclDeviceKind::pci;
  std::uint32_t host = 0;
  // Rank of a GPU; NUMA node of a CPU; rail of a network device, or its number if the file has no rail.
  std::int64_t number = 0;
  std::string name{};     // "cpu0", "pci0000_01_00.0"; without the host
  double latency_us = 0;  // of a network device; 0: not given
};

// Directed link. Parallel links of a pair are summed.
struct NcclLink {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  NcclLinkKind kind = NcclLinkKind::pci;
  double bytes_per_ns = 0;
};

// Properties of a GPU with a rank, for comparison with the file's other GPUs.
struct NcclGpu {
  std::uint32_t host = 0;
  std::uint32_t device = 0;   // index into NcclMachine::devices
  std::int64_t sm = 0;        // compute capability, 90 for 9.0; 0: not an NVIDIA GPU
  std::int64_t links = 0;     // NVLinks or xGMI links to another device
  bool states_links = false;  // has an element for such links, perhaps to the GPU itself or to a missing device
  bool is_amd = false;        // has xGMI links, no NVLinks
  bool has_c2c = false;       // connected to its CPU by C2C
  double pci_bytes_per_ns = 0;
};

struct NcclMachine {
  std::vector<NcclGpu> gpu_links{};  // in file order
  std::vector<NcclDevice> devices{};
  std::vector<NcclLink> links{};
  std::uint32_t hosts = 0;
  std::uint32_t gpus = 0;
  std::string lacks_links{};         // first note about GPUs without NVLinks, without its consequence
  bool shares_nvswitch = false;      // the NVLinks of all hosts lead to the same switch
  std::vector<std::string> notes{};  // as in NetworkConfig
  std::vector<std::string> remarks{};
};

struct NcclReading {
  NcclRates rates = NcclRates::nccl;
  bool ranks_by_device = false;  // number GPUs by host and device number, independent of their rank
};

// Reads a file. Throws Error(input) with the location.
[[nodiscard]] NcclMachine read_nccl_machine(const std::string& name, std::string_view text, const NcclReading& how);

}  // namespace convert
