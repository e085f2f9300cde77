// SPDX-License-Identifier: MIT
#include "config/network/imports/nccl_rates.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/units.h"

namespace convert {
namespace {

template <std::size_t n>
double from_table(const std::array<std::pair<std::int64_t, double>, n>& falling, std::int64_t key,
                  double otherwise) {
  const auto found = std::ranges::find_if(falling, [key](const auto& row) { return key >= row.first; });
  return found == falling.end() ? otherwise : found->second;
}

}  // namespace

double nccl_pci_rate(std::string_view speed, std::int64_t width, NcclRates rates) {
  const auto lanes = static_cast<double>(width == 0 ? 16 : width);
  const double gt_per_s = parse_number(speed.substr(0, speed.find(' '))).value_or(0);
  constexpr std::array known = {2.5, 5.0, 8.0, 16.0, 32.0, 64.0};
  const double taken = std::ranges::find(known, gt_per_s) == known.end() ? 8 : gt_per_s;
  if (rates == NcclRates::nccl) return lanes * taken * (taken < 8 ? 6 : 7.5) / 80;
  return lanes * taken / 8 * (taken < 8 ? 1 : 128.0 / 130);
}

double nccl_nvlink_rate(std::int64_t sm, NcclRates rates) {
  using Row = std::pair<std::int64_t, double>;
  static constexpr std::array nccl = {Row{100, 40.1}, Row{90, 20.6}, Row{87, 20.0},
                                      Row{86, 12.0},  Row{70, 20.0}, Row{60, 18.0}};
  static constexpr std::array nominal = {Row{100, 50.0}, Row{87, 25.0}, Row{86, 14.0625}, Row{70, 25.0},
                                         Row{60, 20.0}};
  return rates == NcclRates::nccl ? from_table(nccl, sm, 20.0) : from_table(nominal, sm, 20.0);
}

double rccl_xgmi_rate(std::string_view gcn) {
  if (gcn.starts_with("gfx")) gcn.remove_prefix(3);
  if (gcn.starts_with("94") || gcn.starts_with("95")) return 48.0;
  return gcn.starts_with("90a") || gcn.starts_with("910") ? 36.0 : 24.0;
}

double nccl_cpu_rate(std::string_view arch, std::string_view vendor, std::int64_t family, std::int64_t model) {
  if (arch == "ppc64") return 32.0;
  if (arch == "arm64") return 6.0;
  if (arch != "x86_64") return nccl_local_rate;
  if (vendor == "AuthenticAMD") return 16.0;
  if (vendor == "GenuineIntel") {
    using Row = std::pair<std::int64_t, double>;
    static constexpr std::array intel = {Row{0xCF, 40.0}, Row{0x8F, 22.0}, Row{0x55, 10.0}};
    return family == 6 ? from_table(intel, model, 6.0) : 6.0;
  }
  if (vendor.find("Shanghai") != std::string_view::npos || vendor == "CentaurHauls")
    return family == 7 && model == 0x5B ? 9.0 : 6.0;
  return nccl_local_rate;
}

}  // namespace convert
