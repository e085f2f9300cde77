// SPDX-License-Identifier: MIT
#include "analyze/figures/figures.h"

#include <algorithm>
#include <cmath>

#include "analyze/figures/cells.h"
#include "core/words.h"

namespace convert {

std::int64_t percentile(std::vector<std::int64_t>& values, double percent) {
  const auto n = static_cast<double>(values.size());
  const double rank = std::clamp(std::ceil(percent / 100 * n), 1.0, n);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

std::string key_with_unit(std::string_view key, Unit unit) {
  const auto suffix = [unit]() -> std::string_view {
    switch (unit) {
      case Unit::bytes: return "bytes";
      case Unit::time: return "ns";
      case Unit::share: return "share";
      case Unit::gb_per_s: return "gb_per_s";
      default: return {};
    }
  }();
  const bool has = suffix.empty() || key.ends_with(suffix);
  return has ? std::string(key) : std::string(key).append("_").append(suffix);
}

std::string get_figure(const Statistics& statistics, std::string_view key) {
  std::vector<std::string> keys;
  for (const Section& section : statistics) {
    for (const Figure& f : section.figures) {
      const std::string plain = section.name + '.' + f.key;
      const std::string full = section.name + '.' + key_with_unit(f.key, f.unit);
      if (key == plain || key == full) return raw_cell(f.value, f.unit);
      keys.push_back(full);
    }
  }
  const std::string near = did_you_mean(key, keys);
  throw usage_error("--get " + std::string(key) + ": there is no such figure" +
                    (near.empty() ? "; known here: " + join(keys) : near));
}

}  // namespace convert
