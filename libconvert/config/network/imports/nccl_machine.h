// SPDX-License-Identifier: MIT
// Holds the devices and links of an NCCL topology file, by the rules by which NCCL makes its graph of one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/network/imports/nccl_rates.h"
#include "config/network/imports/network_file.h"
#include "core/diagnostic.h"

namespace convert {

enum class NcclDeviceKind : std::uint8_t { gpu, nvswitch, cpu, pci, nic, net };
enum class NcclLinkKind : std::uint8_t { nvlink, c2c, pci, between_cpus, net };

struct NcclDevice {
  NcclDeviceKind kind = NcclDeviceKind::pci;
  std::uint32_t host = 0;
  // Is the rank of a GPU, the NUMA node of a CPU, the rail of a network device where that is said, else its number.
  std::int64_t number = 0;
  std::string name{};     // "cpu0", "pci0000_01_00.0"; without the host
  double latency_us = 0;  // of a network device; 0: not said
};

// Leads one way. Links of a pair are added up.
struct NcclLink {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  NcclLinkKind kind = NcclLinkKind::pci;
  double bytes_per_ns = 0;
};

// Properties of a GPU with a rank, for comparison with other GPUs of the file.
struct NcclGpu {
  std::uint32_t host = 0;
  std::uint32_t device = 0;   // in NcclMachine::devices
  std::int64_t sm = 0;        // compute capability, 90 for 9.0; 0: not one of NVIDIA
  std::int64_t links = 0;     // NVLinks or xGMI links to another device
  bool states_links = false;  // has an element for them, perhaps to the GPU itself or to a device that is not there
  bool is_amd = false;        // has xGMI links, no NVLinks
  bool has_c2c = false;       // joins its CPU by C2C
  double pci_bytes_per_ns = 0;
};

struct NcclMachine {
  std::vector<NcclGpu> gpu_links{};  // in the order of the file
  std::vector<NcclDevice> devices{};
  std::vector<NcclLink> links{};
  std::uint32_t hosts = 0;
  std::uint32_t gpus = 0;
  std::string lacks_links{};         // the first note about GPUs without NVLinks, without what follows from it
  bool shares_nvswitch = false;      // the NVLinks of all hosts lead to one switch
  std::vector<std::string> notes{};  // as NetworkConfig has them
  std::vector<std::string> remarks{};
};

struct NcclReading {
  NcclRates rates = NcclRates::nccl;
  bool ranks_by_device = false;  // number GPUs by their host and number of device, whatever their rank
};

// Reads a file. Throws Error(input) with the place.
[[nodiscard]] NcclMachine read_nccl_machine(const std::string& name, std::string_view text, const NcclReading& how);

}  // namespace convert
