// SPDX-License-Identifier: MIT
#include "calibrate/calibration.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/diagnostic.h"
#include "core/units.h"
#include "machine/constants.h"

namespace convert {
namespace {

void refuse_conflicts(const std::vector<CalibrationNote>& notes) {
  for (const CalibrationNote& note : notes) {
    if (note.kind == NoteKind::conflict)
      throw Error(Error::Kind::input, {}, note.text + " Calibrate each alone, or accept it with --force",
                  "benchmark");
  }
}

// Refuses a fit that is wrong by factors: the data or the hardware have another unit, or are of another machine.
void refuse_far_fit(const BandErrors& errors, const std::vector<CalibrationNote>& notes) {
  constexpr double far_pct = 150;
  const ErrorByBand percent = errors.percent();
  for (std::size_t band = 1; band < percent.size(); ++band) {
    if (!percent.at(band) || *percent.at(band) <= far_pct) continue;
    const auto warning = std::ranges::find(notes, NoteKind::warning, &CalibrationNote::kind);
    throw Error(
        Error::Kind::input, {},
        (warning == notes.end() ? "" : warning->text + ' ') + "The fit differs from the measured times by " +
            std::to_string(std::lround(*percent.at(band))) + " % for " +
            (band == 1 ? "1-63 MiB" : "64 MiB and more") +
            ": a wrong unit of port, bandwidth, sizes or times (us), a wrong number of adapters, or another "
            "machine? --force accepts it",
        "benchmark");
  }
}

// Returns whether a fit has changed the constants of a collective's time.
bool is_refitted(const FittedMachine& fitted, Collective collective, bool several_nodes) {
  const bool messages = runs_as_messages(collective);
  if (fitted.fitted.contains(messages ? "messages.Simple.share" : "ring.Simple.share")) return true;
  return several_nodes && fitted.fitted.contains(messages ? "across.messages.share" : "across.Simple.share");
}

// Returns the measured calls of the curves, and calls of the base machine of other collectives whose constants are
// unchanged.
std::vector<MeasuredCall> table_with_base(const Machine& base, const FittedMachine& fitted,
                                          std::span<const BenchmarkCurve> curves) {
  std::set<std::pair<Collective, bool>> measured;  // over several nodes
  for (const BenchmarkCurve& c : curves) measured.insert({c.collective, c.nodes > 1});
  std::vector<MeasuredCall> table;
  for (const MeasuredCall& m : base.measured) {
    const bool several = m.nodes > 1;
    if (!measured.contains({m.collective, several}) && !is_refitted(fitted, m.collective, several))
      table.push_back(m);
  }
  for (const MeasuredCall& m : table_of(fitted.machine, curves)) table.push_back(m);
  return table;
}

// Returns size `i` of a curve of a forced algorithm, by the formulas.
ComparedCall forced_call(const Machine& machine, const BenchmarkCurve& c, std::size_t i) {
  ComparedCall row{.curve = &c, .bytes = c.bytes[i], .measured_ns = c.times_ns[i], .source = CallSource::model};
  call_times(machine, c.call(), c.forced, {&row.bytes, 1}, {&row.predicted_ns, 1});
  row.predicted_ns += harness_ns(machine, c);
  row.algorithm = *c.forced == CallMethod::ring ? "ring" : "tree";
  return row;
}

}  // namespace

Calibration calibrate(const Machine& base, std::span<const BenchmarkCurve> curves,
                      const CalibrationOptions& options) {
  Calibration out;
  out.notes = notes_of_data(base, curves, options.fit.harness);
  if (!options.accepts_conflicts) refuse_conflicts(out.notes);
  FittedMachine fitted{base, {}, {}, {}};
  if (!options.keeps_constants) fitted = fit_machine(base, curves, options.fit);
  std::erase_if(fitted.machine.harness_ns, [&](const auto& harness) {
    return std::ranges::none_of(curves, [&](const BenchmarkCurve& c) { return harness_key(c) == harness.first; });
  });
  if (!options.keeps_constants) {
    for (CalibrationNote& note : notes_of_fit(fitted, curves)) out.notes.push_back(std::move(note));
  }
  out.formulas = errors_of_formulas(fitted.machine, curves);
  if (!options.accepts_conflicts) refuse_far_fit(out.formulas, out.notes);
  out.between_sizes = errors_between_sizes(fitted.machine, curves);
  out.between_groups = errors_between_groups(fitted.machine, curves);
  out.alpha_beta = errors_of_alpha_beta(fitted.machine, curves);
  std::vector<MeasuredCall> table =
      options.has_table ? table_with_base(base, fitted, curves) : std::vector<MeasuredCall>();
  out.undetermined = {fitted.undetermined.begin(), fitted.undetermined.end()};
  out.machine = std::move(fitted.machine);
  out.machine.measured = std::move(table);
  const auto stated = [](const BandErrors& errors) {
    return errors.count() == 0 ? std::nullopt : std::optional(errors.percent());
  };
  out.machine.accuracy = {stated(out.between_sizes), stated(out.between_groups), stated(out.formulas)};
  if (!options.keeps_constants && out.formulas.count() <= fitted.fitted.size()) {
    out.machine.accuracy.model.reset();  // a fit through all points states nothing about other calls
    out.notes.push_back({NoteKind::warning, counted(out.formulas.count(), "call") + " for " +
                                                counted(fitted.fitted.size(), "constant") +
                                                ": too few to state the error of other calls"});
  }
  return out;
}

Calibration calibrate_program(const Machine& base, std::span<const BenchmarkCurve> curves,
                              const AlgorithmTime& time, unsigned jobs) {
  FittedMachine fitted = fit_program(base, curves, time, jobs);
  Calibration out;
  for (const std::string& name : fitted.at_bound) out.notes.push_back(note_of_bound(name));
  out.machine = std::move(fitted.machine);
  return out;
}

std::vector<ComparedCall> compare_calls(const ChosenMachine& machine, std::span<const BenchmarkCurve> curves) {
  std::vector<ComparedCall> rows;
  for (const BenchmarkCurve& c : curves) {
    for (std::size_t i = 0; i < c.bytes.size(); ++i) {
      if (c.forced) {
        rows.push_back(forced_call(machine.machine(), c, i));
        continue;
      }
      const MachineCost cost = machine.cost(c.call(c.bytes[i]));
      rows.push_back({.curve = &c,
                      .bytes = c.bytes[i],
                      .measured_ns = c.times_ns[i],
                      .predicted_ns = cost.time_ns + harness_ns(machine.machine(), c),
                      .algorithm = name(cost.algorithm, c.nodes),
                      .source = cost.source});
    }
  }
  return rows;
}

std::vector<ComparedCall> compare_algorithm(const Machine& machine, std::span<const BenchmarkCurve> curves,
                                            const std::string& algorithm, const AlgorithmTime& time) {
  std::vector<ComparedCall> rows;
  for (const BenchmarkCurve& c : curves) {
    for (std::size_t i = 0; i < c.bytes.size(); ++i)
      rows.push_back({&c, c.bytes[i], c.times_ns[i], time(machine, c, c.bytes[i]), algorithm, CallSource::model});
  }
  return rows;
}

}  // namespace convert
