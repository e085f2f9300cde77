// SPDX-License-Identifier: MIT
#include "calibrate/points.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "core/units.h"
#include "machine/machine.h"

namespace convert {
namespace {

constexpr double differing_times = 1.2;
constexpr double outlier_factor = 3;

using UsableCurve = std::tuple<std::string_view, std::string_view, std::uint32_t, Collective, std::uint32_t,
                               std::optional<std::uint32_t>>;
UsableCurve curve_of(const BenchmarkPoint& p) { return {p.set, p.machine, p.run, p.collective, p.ranks, p.nodes}; }

// Times of one size: the mean of their logarithms.
struct SizeTimes {
  double sum = 0;
  std::size_t count = 0;
  [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
};
using TimesBySize = std::map<std::int64_t, SizeTimes>;

// Returns how many times the point is above the line between its neighbours; 0 at the ends of the curve.
double factor_above_line(const BenchmarkPoint& point, const TimesBySize& curve) {
  const auto here = curve.find(point.bytes);
  if (here == curve.begin() || std::next(here) == curve.end()) return 0;
  const auto& [smaller, before] = *std::prev(here);
  const auto& [larger, after] = *std::next(here);
  const auto log_size = [](std::int64_t bytes) { return std::log(static_cast<double>(bytes)); };
  const double width = log_size(larger) - log_size(smaller);
  const double share = width > 0 ? (log_size(point.bytes) - log_size(smaller)) / width : 0.5;
  return point.time_ns / std::exp(before.mean() + share * (after.mean() - before.mean()));
}

std::string rounded(double value) {
  std::string text = std::to_string(value);
  return text.substr(0, text.find('.') + 2);
}

}  // namespace

double counting_time(const BenchmarkPoint& point) {
  if (!point.in_place_ns) return point.time_ns;
  const auto [least, most] = std::minmax(point.time_ns, *point.in_place_ns);
  return most > differing_times * least ? least : point.time_ns;
}

std::vector<BenchmarkPoint> usable_points(const Benchmark& benchmark, Diagnostics& diagnostics) {
  std::vector<BenchmarkPoint> points;
  for (const BenchmarkPoint& point : benchmark.points) {
    if (point.bytes < least_compared_bytes || point.ranks < 2) continue;
    BenchmarkPoint& usable = points.emplace_back(point);
    usable.time_ns = counting_time(point);
    usable.in_place_ns.reset();
  }
  std::map<UsableCurve, TimesBySize> curves;
  for (const BenchmarkPoint& point : points) {
    SizeTimes& times = curves[curve_of(point)][point.bytes];
    times.sum += std::log(point.time_ns);
    ++times.count;
  }
  std::vector<bool> is_outlier(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const BenchmarkPoint& point = points[i];
    const double factor = factor_above_line(point, curves.at(curve_of(point)));
    if (factor <= outlier_factor) continue;
    is_outlier[i] = true;
    diagnostics.warning({.file = benchmark.file, .line = point.line}, "benchmark",
                        std::string(name(point.collective)) + " of " + counted(point.ranks, "rank") + " takes " +
                            rounded(factor) + " times as long for " + format_bytes(point.bytes) +
                            " as the line between the sizes beside it; the point is omitted");
  }
  std::size_t i = 0;
  std::erase_if(points, [&](const BenchmarkPoint&) { return is_outlier[i++]; });
  return points;
}

}  // namespace convert
