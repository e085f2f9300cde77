// SPDX-License-Identifier: MIT
// Says how fast links of NCCL topologies are, in GB/s of 10^9 bytes per second and direction: as NCCL's search
// takes them, which is below what the hardware is rated at, or nominal.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace convert {

enum class NcclRates : std::uint8_t { nccl, nominal };

// Returns the rate of a PCI link of so many lanes, 0: 16. `speed`: "16.0 GT/s PCIe"; unknown ones count as 8 GT/s.
[[nodiscard]] double nccl_pci_rate(std::string_view speed, std::int64_t width, NcclRates rates);
// Returns the rate of an NVLink of a GPU of compute capability `sm`, such as 90.
[[nodiscard]] double nccl_nvlink_rate(std::int64_t sm, NcclRates rates);
// Returns the rate of an xGMI link, as RCCL takes it, by the GPU's architecture: "gfx942", or "910" in old files.
[[nodiscard]] double rccl_xgmi_rate(std::string_view gcn);
// Returns the rate between this CPU and another of its machine. `family` and `model` are 0 if not known.
[[nodiscard]] double nccl_cpu_rate(std::string_view arch, std::string_view vendor, std::int64_t family,
                                   std::int64_t model);
// What NCCL takes for links that limit nothing, such as those to network cards that are no PCI devices.
inline constexpr double nccl_local_rate = 5000;

}  // namespace convert
