// SPDX-License-Identifier: MIT
#include "calibrate/notes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "config/network/wire_graph.h"
#include "core/units.h"
#include "core/words.h"
#include "machine/constants.h"
#include "util/median.h"

namespace convert {
namespace {

std::string percent_text(double ratio) { return std::to_string(std::lround(100 * ratio)) + " %"; }
std::string size_text(double bytes) { return format_bytes(static_cast<std::int64_t>(bytes)); }

// Returns the time of a size between a curve's ends, linear in logarithms.
std::optional<double> time_at(const BenchmarkCurve& c, double bytes) {
  if (bytes < c.bytes.front() || bytes > c.bytes.back()) return std::nullopt;
  const auto above = std::ranges::lower_bound(c.bytes, bytes);
  const auto i = static_cast<std::size_t>(above - c.bytes.begin());
  if (*above == bytes) return c.times_ns[i];
  const double weight = std::log(bytes / c.bytes[i - 1]) / std::log(c.bytes[i] / c.bytes[i - 1]);
  return std::exp((1 - weight) * std::log(c.times_ns[i - 1]) + weight * std::log(c.times_ns[i]));
}

using Notes = std::vector<CalibrationNote>;

// Adds each pair of sets whose times of one group differ.
void add_conflicts(std::span<const BenchmarkCurve> curves, const std::set<std::string>& harness, Notes& notes) {
  constexpr double most_ratio = 1.15;  // between two measurements of one machine
  struct Band {
    std::size_t band;
    const char* text;
  };
  for (std::size_t a = 0; a < curves.size(); ++a) {
    for (std::size_t b = a + 1; b < curves.size(); ++b) {
      const BenchmarkCurve &x = curves[a], &y = curves[b];
      if (x.collective != y.collective || x.ranks != y.ranks || x.nodes != y.nodes) continue;
      if (harness.contains(x.set) || harness.contains(y.set)) continue;
      if (x.set == y.set && x.machine == y.machine && x.run == y.run) continue;
      for (const Band& band : {Band{1, "1-63 MiB"}, Band{2, "64 MiB and more"}}) {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < x.bytes.size(); ++i) {
          if (size_band(x.bytes[i]) != band.band) continue;
          if (const auto other = time_at(y, x.bytes[i])) ratios.push_back(x.times_ns[i] / *other);
        }
        if (ratios.empty()) continue;
        const double ratio = median(ratios);
        if (std::max(ratio, 1 / ratio) <= most_ratio) continue;
        notes.push_back({NoteKind::conflict, x.title() + " and " + y.title() + " differ by " +
                                                 percent_text(std::max(ratio, 1 / ratio) - 1) + " for " +
                                                 band.text + ": measurements of two machines?"});
      }
    }
  }
}

void add_short_curves(std::span<const BenchmarkCurve> curves, Notes& notes) {
  for (const BenchmarkCurve& c : curves) {
    if (is_fitted(c)) continue;
    const bool one = c.bytes.size() == 1;
    notes.push_back(
        {NoteKind::note, c.title() + " has " + counted(c.bytes.size(), "size") +
                             (one ? " (" + size_text(c.bytes.front()) + ")"
                                  : " from " + size_text(c.bytes.front()) + " to " + size_text(c.bytes.back())) +
                             ": for the table only, the fit requires 4 sizes over a factor of 64"});
  }
}

double bus_bandwidth(const BenchmarkCurve& c, std::size_t i) {
  return bus_bandwidth_factor(c.collective, c.ranks) * c.bytes[i] / c.times_ns[i];
}

// Adds curves whose bandwidth is more than the ports have, or much less than the adapters have.
void add_bandwidths(const Machine& m, std::span<const BenchmarkCurve> curves, Notes& notes) {
  constexpr double least_share = 0.4;  // of the adapters
  for (const BenchmarkCurve& c : curves) {
    if (c.bytes.empty() || size_band(c.bytes.back()) < 2) continue;
    double most = 0;
    for (std::size_t i = 0; i < c.bytes.size(); ++i) most = std::max(most, bus_bandwidth(c, i));
    const double port = m.node.port_bytes_per_ns * (m.node.mesh ? (c.nodes == 1 ? c.ranks : m.node.gpus) - 1 : 1);
    constexpr double nvls_factor = 2;  // the switch adds up: a rank moves its input once, not twice
    if (c.nodes == 1 && most > (m.library.nvls ? nvls_factor : 1) * port) {
      notes.push_back(
          {NoteKind::warning, c.title() + " has a bus bandwidth of " + std::to_string(std::lround(most)) +
                                  " GB/s, more than a port of " + format_bytes_per_ns(port) +
                                  (m.library.nvls ? " has: another unit of the port?"
                                                  : "; does the machine reduce in the switch? Then give nvls: { "
                                                    "channels: 16 }")});
    }
    if (c.nodes == 1 || !m.fabric || c.collective == Collective::all_to_all) continue;
    const double g = static_cast<double>(c.ranks) / c.nodes;
    const double adapters = m.fabric->adapters * m.fabric->bytes_per_ns * std::min(1.0, g / m.node.gpus);
    const double most_of_adapters = bus_bandwidth_factor(c.collective, c.ranks);  // trees of two nodes
    if (most > std::max(1.0, most_of_adapters) * adapters) {
      notes.push_back(
          {NoteKind::warning, c.title() + " has a bus bandwidth of " + std::to_string(std::lround(most)) +
                                  " GB/s, more than the adapters of a node (" + format_bytes_per_ns(adapters) +
                                  "): another unit, or another number of adapters?"});
    }
    if (most < least_share * adapters) {
      notes.push_back(
          {NoteKind::warning, c.title() + " has a bus bandwidth of " + percent_text(most / adapters) +
                                  " of the adapters: another unit (Gbit/s), another network, or GPUDirect off?"});
    }
  }
}

// Adds a note if all curves of several nodes have two: with two nodes, trees use the network half as much as with
// more.
void add_two_nodes(std::span<const BenchmarkCurve> curves, Notes& notes) {
  bool any = false;
  for (const BenchmarkCurve& c : curves) {
    if (c.nodes == 1) continue;
    if (c.nodes != 2) return;
    any = any || c.collective == Collective::all_reduce;
  }
  if (!any) return;
  notes.push_back(
      {NoteKind::note,
       "all curves of several nodes have two, where trees hide the bandwidth of the network; measure four "
       "nodes, or two with NCCL_ALGO=Ring and the key algorithm=ring"});
}

std::string group_text(ConstantGroup group) {
  switch (group) {
    case ConstantGroup::ring:
    case ConstantGroup::tree:
    case ConstantGroup::nvls: return "all_reduce, all_gather or reduce_scatter of one node";
    case ConstantGroup::messages: return "all_to_all of one node";
    case ConstantGroup::across: return "all_reduce, all_gather or reduce_scatter of several nodes";
    case ConstantGroup::across_messages: return "all_to_all of several nodes";
  }
  return {};
}

// Adds the groups of constants that no curve determines.
void add_groups_without_data(const FittedMachine& f, Notes& notes) {
  std::map<std::string, std::vector<std::string>> kept;  // by data that are missing
  std::set<std::string> seen;
  for (const LibraryConstant& c : library_constants()) {
    if (f.fitted.contains(c.name())) continue;
    if (c.group == ConstantGroup::nvls && !f.machine.library.nvls) continue;
    const bool across = c.group == ConstantGroup::across || c.group == ConstantGroup::across_messages;
    if (across && !f.machine.fabric) continue;
    const std::string key(c.key);
    if (seen.insert(key).second) kept[group_text(c.group)].push_back(key);
  }
  for (const auto& [data, keys] : kept) {
    const bool some = std::ranges::any_of(library_constants(), [&](const LibraryConstant& c) {
      return group_text(c.group) == data && f.fitted.contains(c.name());
    });
    if (some) continue;  // the stage omits them on purpose
    notes.push_back(
        {NoteKind::note,
         "no " + data + " to fit: values of the machine file, or defaults, are kept for " + join(keys)});
  }
}

void add_harnesses(const FittedMachine& f, std::span<const BenchmarkCurve> curves, Notes& notes) {
  for (const auto& [set, ns] : f.machine.harness_ns) {
    double most = 0;
    for (const BenchmarkCurve& c : curves) {
      if (harness_key(c) != set) continue;
      std::vector<double> model;
      formula_times(f.machine, c, model);
      for (std::size_t i = 0; i < model.size(); ++i)
        if (4 * ns > model[i]) most = std::max(most, c.bytes[i]);
    }
    std::string text = set + ": the benchmark adds " + format_time(round_to_ps(ns)) + " to a call";
    if (most > 0) text += "; its calls up to " + size_text(most) + " are not in the table";
    notes.push_back({NoteKind::note, text});
  }
}

}  // namespace

std::vector<CalibrationNote> notes_of_data(const Machine& hardware, std::span<const BenchmarkCurve> curves,
                                           const std::set<std::string>& harness) {
  Notes notes;
  add_conflicts(curves, harness, notes);
  add_short_curves(curves, notes);
  add_bandwidths(hardware, curves, notes);
  add_two_nodes(curves, notes);
  return notes;
}

std::vector<CalibrationNote> notes_of_fit(const FittedMachine& fitted, std::span<const BenchmarkCurve> curves) {
  Notes notes;
  add_groups_without_data(fitted, notes);
  if (!fitted.undetermined.empty()) {
    notes.push_back({NoteKind::note, "the data do not determine these constants, which have default values: " +
                                         join(fitted.undetermined)});
  }
  for (const std::string& name : fitted.at_bound) notes.push_back(note_of_bound(name));
  add_harnesses(fitted, curves, notes);
  return notes;
}

CalibrationNote note_of_bound(const std::string& constant) {
  return {NoteKind::warning,
          constant + " is at a bound of the search: the data contain an effect that the formulas lack"};
}

}  // namespace convert
