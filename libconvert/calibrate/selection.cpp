// SPDX-License-Identifier: MIT
#include "calibrate/selection.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "calibrate/points.h"
#include "config/file_argument.h"
#include "config/network/wire_graph.h"
#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

constexpr std::int64_t most_ranks_of_benchmark = 1 << 20;

Error bad_key(const FileArgument& file, const std::string& key, const std::string& wanted,
              const std::string& text) {
  return usage_error(file.path + ": " + key + " requires " + wanted + ", not '" + text + "'");
}

std::vector<std::string> words_of(const FileArgument& file, const std::string& key) {
  const auto text = file.get(key);
  return text ? split(*text, '+') : std::vector<std::string>();
}

std::vector<Collective> collectives_of(const FileArgument& file) {
  std::vector<Collective> all;
  for (const std::string& word : words_of(file, "collective")) {
    const auto collective = parse_collective(word, [](Collective c) { return c != Collective::custom; });
    if (!collective) throw bad_key(file, "collective", "names of collectives such as all_reduce+all_gather", word);
    all.push_back(*collective);
  }
  return all;
}

std::vector<std::uint32_t> ranks_of(const FileArgument& file) {
  std::vector<std::uint32_t> all;
  for (const std::string& word : words_of(file, "ranks")) {
    const auto n = parse_int(word);
    if (!n || *n < 2 || *n > most_ranks_of_benchmark)
      throw bad_key(file, "ranks", "numbers of ranks such as 8+16", word);
    all.push_back(static_cast<std::uint32_t>(*n));
  }
  return all;
}

// Sets the time that the benchmark adds to each call.
void set_harness(const FileArgument& file, BenchmarkSelection& to) {
  const auto text = file.get("overhead");
  if (!text) return;
  to.fits_harness = *text == "fit";
  if (*to.fits_harness) return;
  const auto time = text->ends_with('s') ? parse_time(*text) : std::nullopt;
  if (!time) throw bad_key(file, "overhead", "a time such as 5us, or fit", *text);
  to.harness_ns = static_cast<double>(*time) / ps_per_ns;
}

template <class Values, class Value>
bool chosen(const Values& wanted, const Value& value) {
  return wanted.empty() || std::ranges::find(wanted, value) != wanted.end();
}

// The values of a benchmark that keys select.
struct BenchmarkValues {
  std::set<std::string> sets, machines, collectives, ranks;
};
BenchmarkValues values_of(const Benchmark& benchmark) {
  BenchmarkValues all;
  for (const BenchmarkPoint& p : benchmark.points) {
    all.sets.insert(p.set);
    if (!p.machine.empty()) all.machines.insert(p.machine);
    all.collectives.emplace(name(p.collective));
    all.ranks.insert(std::to_string(p.ranks));
  }
  return all;
}

// Returns the error of keys that select no call, with the values that each key may have.
Error nothing_selected(const BenchmarkSelection& s, const BenchmarkValues& has) {
  std::vector<std::string> hints;
  const auto hint = [&](bool given, const char* key, const std::set<std::string>& values) {
    if (given) hints.push_back(std::string(key) + " may be " + join(values));
  };
  hint(!s.sets.empty(), "set", has.sets);
  hint(!s.machines.empty(), "machine", has.machines);
  hint(!s.collectives.empty(), "collective", has.collectives);
  hint(!s.ranks.empty(), "ranks", has.ranks);
  return input_error({.file = s.file}, "no measured call has the values of the keys; " + join(hints, "; "),
                     "benchmark");
}

// Refuses an algorithm that a collective does not have.
void refuse_without_method(const BenchmarkSelection& s, const BenchmarkCurve& c) {
  if (!s.algorithm || c.collective == Collective::all_reduce) return;
  if (*s.algorithm == CallMethod::ring && runs_on_rings(c.collective)) return;
  throw usage_error(s.file + ": the formulas of " + std::string(name(c.collective)) +
                    " do not have this algorithm; choose rows by collective=");
}

using SelectedCurve = std::tuple<std::string, std::string, std::uint32_t, std::uint32_t, std::uint32_t, Collective>;

}  // namespace

BenchmarkSelection parse_benchmark_selection(const std::string& operand) {
  FileArgument file = split_file_argument(operand);
  file.label = "input";
  file.check_keys(
      {"set", "machine", "collective", "ranks", "nodes", "name", "overhead", "times", "key", "algorithm"},
      "a benchmark");
  BenchmarkSelection s{.file = file.path,
                       .name = file.get("name").value_or(""),
                       .sets = words_of(file, "set"),
                       .machines = words_of(file, "machine"),
                       .collectives = collectives_of(file),
                       .ranks = ranks_of(file)};
  if (s.collectives.size() == 1) s.read.collective = s.collectives.front();
  if (s.ranks.size() == 1) s.read.ranks = s.ranks.front();
  if (file.get("nodes"))
    s.read.nodes = static_cast<std::uint32_t>(file.whole("nodes", 1, most_ranks_of_benchmark, 1));
  s.read.times =
      std::array{TimeChoice::best, TimeChoice::out, TimeChoice::in}.at(file.choice("times", {"best", "out", "in"}));
  s.read.xla_key = file.get("key").value_or("");
  if (file.get("algorithm")) {
    s.algorithm = std::array{CallMethod::ring, CallMethod::tree}.at(file.choice("algorithm", {"ring", "tree"}));
  }
  set_harness(file, s);
  return s;
}

Benchmark select_rows(const BenchmarkSelection& selection, Benchmark benchmark) {
  const std::string file_name = std::filesystem::path(benchmark.file).filename().string();
  for (BenchmarkPoint& p : benchmark.points)
    if (p.set.empty()) p.set = file_name;
  const BenchmarkValues values = values_of(benchmark);
  std::erase_if(benchmark.points, [&](const BenchmarkPoint& p) {
    return !chosen(selection.sets, p.set) || !chosen(selection.machines, p.machine) ||
           !chosen(selection.collectives, p.collective) || !chosen(selection.ranks, p.ranks);
  });
  if (benchmark.points.empty()) throw nothing_selected(selection, values);
  for (BenchmarkPoint& p : benchmark.points) {
    if (!selection.name.empty()) p.set = selection.name;
    if (selection.read.nodes) p.nodes = selection.read.nodes;
  }
  return benchmark;
}

SelectedCurves select_curves(const BenchmarkSelection& selection, const Benchmark& rows, std::uint32_t gpus_of_node,
                             Diagnostics& diagnostics) {
  const Benchmark benchmark = select_rows(selection, rows);
  std::map<SelectedCurve, std::vector<std::pair<double, double>>> points;  // bytes, ns
  for (const BenchmarkPoint& p : usable_points(benchmark, diagnostics)) {
    const std::uint32_t nodes = p.nodes.value_or((p.ranks + gpus_of_node - 1) / gpus_of_node);
    if (selection.harness_ns && *selection.harness_ns >= p.time_ns) {
      throw input_error({.file = selection.file, .line = p.line},
                        "the call takes " + format_time(round_to_ps(p.time_ns)) +
                            ", less than overhead=" + format_time(round_to_ps(*selection.harness_ns)),
                        "benchmark");
    }
    if (p.ranks > std::uint64_t{nodes} * gpus_of_node) {
      throw input_error({.file = selection.file, .line = p.line},
                        counted(p.ranks, "rank") + " on " + counted(nodes, "node") +
                            ", but a node of the machine has " + counted(gpus_of_node, "GPU") +
                            "; choose another machine, nodes=N, or rows by set=, machine= or ranks=",
                        "benchmark");
    }
    points[{p.set, p.machine, p.run, nodes, p.ranks, p.collective}].emplace_back(static_cast<double>(p.bytes),
                                                                                 p.time_ns);
  }
  if (points.empty())
    throw input_error({.file = selection.file}, "no usable call: all have less than 1 KiB, or one rank",
                      "benchmark");
  SelectedCurves out{
      .curves = {},
      .fits_harness = selection.fits_harness.value_or(benchmark.has_harness && !selection.harness_ns)};
  for (auto& [key, all] : points) {
    const auto& [set, machine, run, nodes, ranks, collective] = key;
    std::ranges::sort(all);
    BenchmarkCurve& c =
        out.curves.emplace_back(BenchmarkCurve{set, machine, run, collective, ranks, nodes, {}, {}});
    c.forced = selection.algorithm;
    refuse_without_method(selection, c);
    for (const auto& [bytes, ns] : all) {
      c.bytes.push_back(bytes);
      c.times_ns.push_back(ns);
    }
  }
  return out;
}

}  // namespace convert
