// SPDX-License-Identifier: MIT
#include "machine/measured.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <set>
#include <tuple>

#include "core/units.h"
#include "util/median.h"

namespace convert {
namespace {

// Points whose x differ by less are measurements of one size.
constexpr double one_size = 0.05;

struct CurvePoint {
  double x;
  double y;
};

}  // namespace

std::string_view name(CallSource source) {
  switch (source) {
    case CallSource::measured: return "measured";
    case CallSource::between: return "between";
    case CallSource::beyond: return "beyond";
    case CallSource::model: return "model";
    case CallSource::rescaled: return "rescaled";
  }
  return "";
}

std::vector<std::string> far_from_formulas(const Machine& machine) {
  constexpr double far = 3;
  std::set<Collective> seen;
  std::vector<std::string> texts;
  for (const MeasuredCall& m : machine.measured) {
    const auto bytes = static_cast<double>(m.bytes);
    const auto model = call_time(machine, {m.collective, m.ranks, m.nodes, bytes});
    if (!model || size_band(bytes) == 0) continue;
    const double ratio = m.time_ns / model->time_ns;
    if ((ratio <= far && ratio >= 1 / far) || !seen.insert(m.collective).second) continue;
    const std::string factor = ratio > 1 ? std::to_string(std::lround(ratio)) + " times the time"
                                         : "1/" + std::to_string(std::lround(1 / ratio)) + " of the time";
    texts.push_back(std::string(name(m.collective)) + " of " + std::to_string(m.ranks) + " ranks and " +
                    format_bytes(m.bytes) + " took " + factor +
                    " of the formulas: another machine, or another unit?");
  }
  return texts;
}

MeasuredCurves::MeasuredCurves(const Machine& machine, std::span<const MeasuredCall> calls) : machine_(machine) {
  std::map<std::tuple<Collective, std::uint32_t, std::uint32_t>, std::vector<CurvePoint>> points;
  for (const MeasuredCall& m : calls) {
    const auto bytes = static_cast<double>(m.bytes);
    const auto model = call_time(machine, {m.collective, m.ranks, m.nodes, bytes});
    if (!model) continue;
    points[{m.collective, m.ranks, m.nodes}].push_back(
        {std::log(bytes / m.ranks), std::log(m.time_ns / model->time_ns)});
  }
  for (auto& [key, all] : points) {
    const auto& [collective, ranks, nodes] = key;
    std::ranges::sort(
        all, [](const CurvePoint& a, const CurvePoint& b) { return std::pair(a.x, a.y) < std::pair(b.x, b.y); });
    Curve curve{.nodes = nodes};
    for (std::size_t i = 0, end = 0; i < all.size(); i = end) {
      double sum = 0;
      std::vector<double> ys;
      for (end = i; end < all.size() && all[end].x - all[i].x < one_size; ++end) {
        sum += all[end].x;
        ys.push_back(all[end].y);
      }
      curve.x.push_back(sum / static_cast<double>(end - i));
      curve.y.push_back(median(std::move(ys)));
    }
    families_[{collective, nodes > 1}][ranks].push_back(std::move(curve));
  }
}

double MeasuredCurves::Curve::at(double log_bytes) const {
  const auto above = std::ranges::upper_bound(x, log_bytes);
  if (above == x.begin()) return y.front();
  if (above == x.end()) return y.back();
  const auto i = static_cast<std::size_t>(above - x.begin());
  return y[i - 1] + (y[i] - y[i - 1]) * ((log_bytes - x[i - 1]) / (x[i] - x[i - 1]));
}

bool MeasuredCurves::Curve::covers(double log_bytes) const {
  return log_bytes >= x.front() - std::numbers::ln2 && log_bytes <= x.back() + std::numbers::ln2;
}

const MeasuredCurves::Curve& MeasuredCurves::nearest(const std::vector<Curve>& curves, std::uint32_t nodes) {
  return *std::ranges::min_element(
      curves, {}, [&](const Curve& c) { return std::abs(std::log(static_cast<double>(c.nodes) / nodes)); });
}

MeasuredCurves::Correction MeasuredCurves::at(const MachineCall& call, double time_ns) const {
  const auto family = families_.find({call.collective, call.nodes > 1});
  if (family == families_.end() || call.bytes <= 0) return {};
  const Family& by_ranks = family->second;
  const double x = std::log(call.bytes / call.ranks);
  const auto at_or_above = by_ranks.lower_bound(call.ranks);
  const bool has_ranks = at_or_above != by_ranks.end() && at_or_above->first == call.ranks;
  if (has_ranks) {
    const Curve& own = nearest(at_or_above->second, call.nodes);
    if (own.nodes == call.nodes) return {own.at(x), own.covers(x) ? CallSource::measured : CallSource::beyond};
  }
  // The more a call's time is latency, the more of the correction holds for other ranks and nodes.
  const double shortest = call_time(machine_, {call.collective, call.ranks, call.nodes, 1})->time_ns;
  const double fade = 0.5 + 0.5 * shortest / time_ns;
  const CallSource beyond = call.nodes > 1 && call.ranks == call.nodes ? CallSource::model : CallSource::beyond;
  if (has_ranks) return {fade * nearest(at_or_above->second, call.nodes).at(x), beyond};
  if (at_or_above == by_ranks.begin())  // below the fewest ranks: at equal bytes of a rank
    return {fade * nearest(at_or_above->second, call.nodes).at(x), beyond};
  const auto below = std::prev(at_or_above);
  const Curve& low = nearest(below->second, call.nodes);
  if (at_or_above == by_ranks.end())  // above the most ranks: at equal bytes of the call
    return {fade * low.at(std::log(call.bytes / below->first)), beyond};
  const Curve& high = nearest(at_or_above->second, call.nodes);
  const double weight = std::log(static_cast<double>(call.ranks) / below->first) /
                        std::log(static_cast<double>(at_or_above->first) / below->first);
  const bool covered = low.covers(x) && high.covers(x);
  return {fade * ((1 - weight) * low.at(x) + weight * high.at(x)), beyond == CallSource::model ? beyond
                                                                   : covered                   ? CallSource::between
                                                                             : CallSource::beyond};
}

}  // namespace convert
