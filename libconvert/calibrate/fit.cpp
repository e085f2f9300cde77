// SPDX-License-Identifier: MIT
#include "calibrate/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "calibrate/pattern_search.h"
#include "core/diagnostic.h"
#include "machine/constants.h"
#include "util/parallel.h"

namespace convert {
namespace {

constexpr double us = 1000;           // in ns
constexpr double exact_share = 0.02;  // errors below it hardly count
constexpr double pull = 0.002;        // of a constant to its default
constexpr double harness_start = 10 * us, harness_low = 0.1 * us, harness_high = 500 * us;

// Returns a positive value with four significant digits.
double rounded(double value) {
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

// A constant of the search: its bounds, start, and place in a machine.
struct FitConstant {
  std::string name;
  double low, high, start;
  std::function<double&(Machine& m)> of;
};

FitConstant harness_constant(const std::string& set) {
  return {"harness." + set, harness_low, harness_high, harness_start,
          [set](Machine& m) -> double& { return m.harness_ns[set]; }};
}

// Sets the times of the sizes of a curve on a machine.
using CurveTimes = std::function<void(const Machine& m, const BenchmarkCurve& c, std::span<double> times_ns)>;

void library_times(const Machine& m, const BenchmarkCurve& c, std::span<double> times_ns) {
  call_times(m, c.call(), c.forced, c.bytes, times_ns);
  const double harness = harness_ns(m, c);
  for (double& t : times_ns) t += harness;
}

// The curves of a stage, with what does not change in it.
class Loss {
 public:
  explicit Loss(std::vector<const BenchmarkCurve*> curves, CurveTimes times = library_times)
      : curves_(std::move(curves)), curve_times_(std::move(times)) {
    for (const BenchmarkCurve* c : curves_) {
      std::vector<double>& weights = weights_.emplace_back();
      for (const double b : c->bytes) weights.push_back(fit_weight(b));
      const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (double& w : weights) w /= all;
      std::vector<double>& logs = logs_.emplace_back();
      for (const double t : c->times_ns) logs.push_back(std::log(t));
    }
  }

  // Returns the mean over the curves of their weighted mean error, as a logarithm of model / measured.
  [[nodiscard]] double operator()(const Machine& m) const {
    double sum = 0;
    std::vector<double> times;
    for (std::size_t k = 0; k < curves_.size(); ++k) {
      const BenchmarkCurve& c = *curves_[k];
      times.resize(c.bytes.size());
      curve_times_(m, c, times);
      for (std::size_t i = 0; i < times.size(); ++i) {
        const double z = std::log(times[i]) - logs_[k][i];
        sum += weights_[k][i] * (std::sqrt(z * z + exact_share * exact_share) - exact_share);
      }
    }
    return sum / static_cast<double>(curves_.size());
  }

 private:
  std::vector<const BenchmarkCurve*> curves_;
  CurveTimes curve_times_;
  std::vector<std::vector<double>> weights_;  // of each curve's sizes; sum 1
  std::vector<std::vector<double>> logs_;     // of the measured times
};

struct FitResult {
  Machine machine;
  double value = 0;  // of the loss, and the pull to the defaults
};

// Fits constants from one of the starts.
FitResult fit_from(int start, const Machine& machine, const std::vector<FitConstant>& constants, const Loss& loss) {
  FitResult result{machine};
  std::vector<SearchVariable> variables;
  for (const FitConstant& c : constants)
    variables.push_back({std::log(c.low), std::log(c.high), std::log(c.start)});
  const auto value = [&](std::span<const double> logs) {
    double pulled = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      constants[i].of(result.machine) = std::exp(logs[i]);
      const double away = (logs[i] - variables[i].start) / std::log(4.0);
      pulled += away * away;
    }
    return loss(result.machine) + pull * pulled;
  };
  const std::vector<double> best = pattern_search(variables, start, value);
  result.value = value(best);
  return result;
}

class Fit {
 public:
  Fit(Machine machine, std::span<const BenchmarkCurve> curves, const FitOptions& options)
      : machine_(std::move(machine)), options_(options) {
    for (const BenchmarkCurve& c : curves) {
      if (!is_fitted(c)) continue;
      const bool messages = c.collective == Collective::all_to_all;
      const bool rings = c.collective == Collective::all_reduce || c.collective == Collective::all_gather ||
                         c.collective == Collective::reduce_scatter;
      if (!messages && !rings) continue;
      (c.nodes == 1 ? (messages ? messages_ : rings_) : (messages ? across_messages_ : across_)).push_back(&c);
    }
  }

  FittedMachine run() {
    fit_rings();
    fit_messages();
    fit_across();
    fit_across_messages();
    for (const LibraryConstant& c : library_constants()) {
      if (c.group == ConstantGroup::nvls && !machine_.library.nvls) continue;
      double& value = c.of(machine_.library);
      value = rounded(value);
    }
    for (auto& [set, ns] : machine_.harness_ns) ns = rounded(ns);
    machine_.has_library = !out_.fitted.empty() || machine_.has_library;
    out_.machine = std::move(machine_);
    return std::move(out_);
  }

 private:
  using Curves = std::vector<const BenchmarkCurve*>;

  // Sets the constants of the groups to their defaults, and returns them.
  std::vector<FitConstant> constants_of(std::initializer_list<ConstantGroup> groups) {
    LibraryCosts defaults;
    defaults.nvls.emplace();
    std::vector<FitConstant> all;
    for (const LibraryConstant& c : library_constants()) {
      if (std::ranges::find(groups, c.group) == groups.end()) continue;
      if (c.group == ConstantGroup::nvls && !machine_.library.nvls) continue;
      const double start = c.of(defaults);
      c.of(machine_.library) = start;
      all.push_back({c.name(), c.low, c.high, start, [&c](Machine& m) -> double& { return c.of(m.library); }});
    }
    return all;
  }
  // Adds the times of the harnesses of the curves.
  void add_harnesses(std::vector<FitConstant>& constants, const Curves& curves) const {
    std::set<std::string> keys;
    for (const BenchmarkCurve* c : curves)
      if (options_.harness.contains(c->set)) keys.insert(harness_key(*c));
    for (const std::string& key : keys) constants.push_back(harness_constant(key));
  }

  // Returns the best of `count` starts for each of the machines; of equal ones the first.
  [[nodiscard]] Machine best_of(std::span<const Machine> machines, int count,
                                const std::vector<FitConstant>& constants, const Loss& loss) const {
    constexpr double better = 1e-6;  // of a machine that is not the first
    const auto n = static_cast<std::size_t>(count);
    std::vector<FitResult> of_machine;
    for_each_ordered(
        options_.jobs, machines.size() * n,
        [&](std::size_t i) { return fit_from(static_cast<int>(i % n), machines[i / n], constants, loss); },
        [&](std::size_t i, FitResult&& r) {
          if (i % n == 0) {
            of_machine.push_back(std::move(r));
          } else if (r.value < of_machine.back().value) {
            of_machine.back() = std::move(r);
          }
        });
    std::size_t best = 0;
    for (std::size_t i = 1; i < of_machine.size(); ++i)
      if (of_machine[i].value < of_machine[best].value - better) best = i;
    return std::move(of_machine[best].machine);
  }

  // Sets constants that the data do not determine to their defaults, and records what was fitted.
  void finish_stage(const std::vector<FitConstant>& constants, const Loss& loss) {
    constexpr double factor = 1.5;
    constexpr double least_change = 0.0005;  // of the loss
    for (const FitConstant& c : constants) {
      out_.fitted.insert(c.name);
      double& value = c.of(machine_);
      const double fitted = value, before = loss(machine_);
      const auto changes_loss = [&](double other) {
        value = std::clamp(other, c.low, c.high);
        const double change = std::abs(loss(machine_) - before);
        value = fitted;
        return change >= least_change;
      };
      if (!changes_loss(fitted * factor) && !changes_loss(fitted / factor) && !changes_loss(c.start)) {
        value = c.start;
        out_.undetermined.push_back(c.name);
      } else if (fitted <= c.low * (1 + 1e-6) || fitted >= c.high * (1 - 1e-6)) {
        out_.at_bound.push_back(c.name);
      }
    }
  }

  void fit_rings() {
    if (rings_.empty()) return;
    std::vector<FitConstant> constants =
        constants_of({ConstantGroup::ring, ConstantGroup::tree, ConstantGroup::nvls});
    add_harnesses(constants, rings_);
    const Loss loss(rings_);
    machine_ = best_of({&machine_, 1}, search_starts, constants, loss);
    name_protocols();
    finish_stage(constants, loss);
  }
  // Names the protocols by rising step: their lines differ by nothing else.
  void name_protocols() {
    LibraryCosts& l = machine_.library;
    std::array<std::pair<StepCost, StepCost>, 3> lines;
    for (std::size_t i = 0; i < lines.size(); ++i)
      lines.at(i) = {l.ring[protocols.at(i)], l.across.ring[protocols.at(i)]};
    std::ranges::stable_sort(lines, {}, [](const auto& line) { return line.first.step_ns; });
    l.ring = {lines[0].first, lines[1].first, lines[2].first};
    l.across.ring = {lines[0].second, lines[1].second, lines[2].second};
    if (l.tree[0].step_ns > l.tree[1].step_ns) std::swap(l.tree[0], l.tree[1]);
  }

  void fit_messages() {
    if (messages_.empty()) return;
    std::vector<FitConstant> constants = constants_of({ConstantGroup::messages});
    const bool all_have_harness =
        std::ranges::all_of(messages_, [&](const BenchmarkCurve* c) { return options_.harness.contains(c->set); });
    if (all_have_harness) {  // a start, and a step for each peer, cannot be distinguished from the time of the
                             // harness
      machine_.library.messages.launch_ns = machine_.library.launch_ns;
      std::erase_if(constants,
                    [](const FitConstant& c) { return c.name == "messages.launch" || c.name.ends_with(".step"); });
    }
    add_harnesses(constants, messages_);
    constexpr int least_log = 13, most_log = 21;  // 8 KiB to 2 MiB
    std::vector<Machine> limits;
    for (int log = least_log; log <= most_log; ++log) {
      limits.push_back(machine_);
      limits.back().library.messages.below = std::int64_t{1} << log;
    }
    const Loss loss(messages_);
    machine_ = best_of(limits, search_starts / 2, constants, loss);
    finish_stage(constants, loss);
  }

  void fit_across() {
    if (across_.empty()) return;
    const std::vector<FitConstant> constants = constants_of({ConstantGroup::across});
    const Loss loss(across_);
    machine_ = best_of({&machine_, 1}, search_starts, constants, loss);
    finish_stage(constants, loss);
  }

  void fit_across_messages() {
    if (across_messages_.empty()) return;
    std::vector<FitConstant> constants = constants_of({ConstantGroup::across_messages});
    if (messages_.empty()) {
      for (FitConstant& c : constants_of({ConstantGroup::messages})) {
        if (c.name == "messages.launch" || c.name == "messages.Simple.step" || c.name == "messages.LL.share")
          constants.push_back(std::move(c));
      }
    }
    const Loss loss(across_messages_);
    machine_ = best_of({&machine_, 1}, search_starts, constants, loss);
    finish_stage(constants, loss);
  }

  Machine machine_;
  const FitOptions& options_;
  Curves rings_, messages_, across_, across_messages_;
  FittedMachine out_;
};

}  // namespace

FittedMachine fit_program(const Machine& machine, std::span<const BenchmarkCurve> curves, const AlgorithmTime& time,
                          unsigned jobs) {
  const ProgramCost defaults;
  const std::vector<FitConstant> constants = {
      {"program.launch", 0.1 * us, 100 * us, defaults.launch_ns,
       [](Machine& m) -> double& { return m.library.program.launch_ns; }},
      {"program.step", 0.02 * us, 20 * us, defaults.step_ns,
       [](Machine& m) -> double& { return m.library.program.step_ns; }},
      {"program.share", 0.02, 1, defaults.share, [](Machine& m) -> double& { return m.library.program.share; }}};
  std::vector<const BenchmarkCurve*> all;
  for (const BenchmarkCurve& c : curves) all.push_back(&c);
  const Loss loss(all, [&](const Machine& m, const BenchmarkCurve& c, std::span<double> times) {
    for_each_ordered(
        jobs, times.size(), [&](std::size_t i) { return time(m, c, c.bytes[i]); },
        [&](std::size_t i, double ns) { times[i] = ns; });
  });
  FittedMachine out{fit_from(0, machine, constants, loss).machine, {}, {}, {}};
  for (const FitConstant& c : constants) {
    double& value = c.of(out.machine);
    value = rounded(value);
    out.fitted.insert(c.name);
    if (value <= c.low || value >= c.high) out.at_bound.push_back(c.name);
  }
  out.machine.has_library = true;
  return out;
}

bool is_fitted(const BenchmarkCurve& curve) {
  constexpr std::size_t least_sizes = 4;
  constexpr double least_range = 64;
  return curve.bytes.size() >= least_sizes && curve.bytes.back() >= least_range * curve.bytes.front();
}

FittedMachine fit_machine(const Machine& hardware, std::span<const BenchmarkCurve> curves,
                          const FitOptions& options) {
  return Fit(hardware, curves, options).run();
}

}  // namespace convert
