// SPDX-License-Identifier: MIT
#include "analyze/figures/figures.h"

#include <algorithm>
#include <cmath>

#include "analyze/figures/cells.h"
#include "core/words.h"

namespace convert {

namespace {

// Returns the position, counted from 1, of a percentile among n sorted values.
std::uint64_t nearest_rank(std::uint64_t n, double percent) {
  const auto all = static_cast<double>(n);
  return static_cast<std::uint64_t>(std::clamp(std::ceil(percent / 100 * all), 1.0, all));
}

}  // namespace

std::int64_t percentile(std::vector<std::int64_t>& values, double percent) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(nearest_rank(values.size(), percent)) - 1;
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

std::int64_t percentile(std::span<const Repeated> sorted, double percent) {
  std::uint64_t n = 0;
  for (const Repeated& r : sorted) n += r.times;
  std::uint64_t before = nearest_rank(n, percent) - 1;
  std::size_t i = 0;
  while (before >= sorted[i].times) before -= sorted[i++].times;
  return sorted[i].value;
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
  throw usage_error("--get " + std::string(key) + ": unknown metric" +
                    (near.empty() ? "; known metrics: " + join(keys) : near));
}

}  // namespace convert
