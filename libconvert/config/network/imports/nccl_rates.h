// SPDX-License-Identifier: MIT
// Rates of links in NCCL topologies, in GB/s of 10^9 bytes per second and direction: as assumed by NCCL's search,
// which is below the rated speed, or nominal.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace convert {

enum class NcclRates : std::uint8_t { nccl, nominal };

// Returns the rate of a PCI link with `width` lanes; 0: 16. `speed`: "16.0 GT/s PCIe"; unknown speeds count as 8
// GT/s.
[[nodiscard]] double nccl_pci_rate(std::string_view speed, std::int64_t width, NcclRates rates);
// Returns the rate of an NVLink of a GPU of compute capability `sm`, such as 90.
[[nodiscard]] double nccl_nvlink_rate(std::int64_t sm, NcclRates rates);
// Returns RCCL's rate of an xGMI link for a GPU architecture: "gfx942", or "910" in old files.
[[nodiscard]] double rccl_xgmi_rate(std::string_view gcn);
// Returns the rate between this CPU and another CPU of its machine. `family` and `model` are 0 if unknown.
[[nodiscard]] double nccl_cpu_rate(std::string_view arch, std::string_view vendor, std::int64_t family,
                                   std::int64_t model);
// NCCL's rate of unlimited links, such as links to network cards that are not PCI devices.
inline constexpr double nccl_local_rate = 5000;

}  // namespace convert
