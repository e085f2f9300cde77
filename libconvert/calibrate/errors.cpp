// SPDX-License-Identifier: MIT
#include "calibrate/errors.h"

#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "machine/measured.h"

namespace convert {
namespace {

// Predicts by the formulas of a machine and tables of these calls.
BandErrors errors_with_tables(const Machine& machine, const std::vector<MeasuredCall>& table,
                              std::span<const BenchmarkCurve> tested) {
  const MeasuredCurves measured(machine, table);
  return errors_of(tested, [&](const BenchmarkCurve& c, double bytes) {
    const MachineCall call = c.call(bytes);
    double model = 0;
    call_times(machine, call, c.forced, {&bytes, 1}, {&model, 1});
    const double factor = c.forced ? 1 : std::exp(measured.at(call, model).log_factor);
    return model * factor + harness_ns(machine, c);
  });
}

BenchmarkCurve without_sizes(const BenchmarkCurve& c) {
  BenchmarkCurve empty = c;
  empty.bytes.clear();
  empty.times_ns.clear();
  return empty;
}

}  // namespace

void BandErrors::add(double bytes, double predicted_ns, double measured_ns) {
  const std::size_t band = size_band(bytes);
  sums_.at(band) += std::abs(predicted_ns / measured_ns - 1);
  ++counts_.at(band);
}

void BandErrors::add(const BandErrors& other) {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    sums_.at(i) += other.sums_.at(i);
    counts_.at(i) += other.counts_.at(i);
  }
}

ErrorByBand BandErrors::percent() const {
  ErrorByBand means{};
  for (std::size_t i = 0; i < sums_.size(); ++i)
    if (counts_.at(i) > 0) means.at(i) = 100 * sums_.at(i) / static_cast<double>(counts_.at(i));
  return means;
}

BandErrors errors_of(std::span<const BenchmarkCurve> curves, const Predict& predict) {
  BandErrors all;
  for (const BenchmarkCurve& c : curves)
    for (std::size_t i = 0; i < c.bytes.size(); ++i) all.add(c.bytes[i], predict(c, c.bytes[i]), c.times_ns[i]);
  return all;
}

BandErrors errors_of_formulas(const Machine& machine, std::span<const BenchmarkCurve> curves) {
  return errors_with_tables(machine, {}, curves);
}

BandErrors errors_between_sizes(const Machine& machine, std::span<const BenchmarkCurve> curves) {
  BandErrors all;
  for (const std::size_t odd : {0U, 1U}) {
    BenchmarkCurves kept, tested;
    for (const BenchmarkCurve& c : curves) {
      kept.push_back(without_sizes(c));
      tested.push_back(without_sizes(c));
      for (std::size_t i = 0; i < c.bytes.size(); ++i) {
        const bool end = i == 0 || i + 1 == c.bytes.size();
        BenchmarkCurve& to = end || i % 2 == odd ? kept.back() : tested.back();
        to.bytes.push_back(c.bytes[i]);
        to.times_ns.push_back(c.times_ns[i]);
      }
    }
    all.add(errors_with_tables(machine, table_of(machine, kept), tested));
  }
  return all;
}

BandErrors errors_between_groups(const Machine& machine, std::span<const BenchmarkCurve> curves) {
  using Group = std::tuple<Collective, bool, std::uint32_t>;
  const auto group = [](const BenchmarkCurve& c) { return Group{c.collective, c.nodes > 1, c.ranks}; };
  std::map<std::pair<Collective, bool>, std::set<std::uint32_t>> families;
  for (const BenchmarkCurve& c : curves) families[{c.collective, c.nodes > 1}].insert(c.ranks);
  BandErrors all;
  for (const auto& [family, ranks] : families) {
    if (ranks.size() < 2) continue;
    for (const std::uint32_t n : ranks) {
      BenchmarkCurves kept, tested;
      for (const BenchmarkCurve& c : curves)
        (group(c) == Group{family.first, family.second, n} ? tested : kept).push_back(c);
      all.add(errors_with_tables(machine, table_of(machine, kept), tested));
    }
  }
  return all;
}

}  // namespace convert
