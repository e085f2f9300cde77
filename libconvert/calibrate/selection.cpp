// SPDX-License-Identifier: MIT
#include "calibrate/selection.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "calibrate/points.h"
#include "config/network/imports/network_file.h"
#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

constexpr std::int64_t most_ranks_of_benchmark = 1 << 20;

Error bad_key(const NetworkFile& file, const std::string& key, const std::string& wanted, const std::string& text) {
  return usage_error(file.path + ": " + key + " requires " + wanted + ", not '" + text + "'");
}

std::vector<std::string> words_of(const NetworkFile& file, const std::string& key) {
  const auto text = file.get(key);
  return text ? split(*text, '+') : std::vector<std::string>();
}

std::vector<Collective> collectives_of(const NetworkFile& file) {
  std::vector<Collective> all;
  for (const std::string& word : words_of(file, "collective")) {
    const auto collective = parse_collective(word, [](Collective c) { return c != Collective::custom; });
    if (!collective) throw bad_key(file, "collective", "names of collectives such as all_reduce+all_gather", word);
    all.push_back(*collective);
  }
  return all;
}

std::vector<std::uint32_t> ranks_of(const NetworkFile& file) {
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
void set_harness(const NetworkFile& file, BenchmarkSelection& to) {
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

using SelectedCurve = std::tuple<std::string, std::string, std::uint32_t, std::uint32_t, std::uint32_t, Collective>;

}  // namespace

BenchmarkSelection parse_benchmark_selection(const std::string& operand) {
  NetworkFile file = split_network_file(operand);
  file.noun = "input";
  file.check_keys({"set", "machine", "collective", "ranks", "nodes", "name", "overhead", "times", "key"},
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
  set_harness(file, s);
  return s;
}

SelectedCurves select_curves(const BenchmarkSelection& selection, Benchmark benchmark, std::uint32_t gpus_of_node,
                             Diagnostics& diagnostics) {
  const std::string file_name = std::filesystem::path(selection.file).filename().string();
  for (BenchmarkPoint& p : benchmark.points)
    if (p.set.empty()) p.set = file_name;
  std::erase_if(benchmark.points, [&](const BenchmarkPoint& p) {
    return !chosen(selection.sets, p.set) || !chosen(selection.machines, p.machine) ||
           !chosen(selection.collectives, p.collective) || !chosen(selection.ranks, p.ranks);
  });
  if (benchmark.points.empty())
    throw input_error({.file = selection.file}, "no measured call matches the keys set, machine, collective, ranks",
                      "benchmark");
  std::map<SelectedCurve, std::vector<std::pair<double, double>>> points;  // bytes, ns
  for (const BenchmarkPoint& p : usable_points(benchmark, diagnostics)) {
    const std::uint32_t nodes = p.nodes.value_or((p.ranks + gpus_of_node - 1) / gpus_of_node);
    if (p.ranks > std::uint64_t{nodes} * gpus_of_node) {
      throw input_error({.file = selection.file, .line = p.line},
                        counted(p.ranks, "rank") + " on " + counted(nodes, "node") +
                            ", but a node of the machine has " + counted(gpus_of_node, "GPU") +
                            "; choose another machine, or give nodes=",
                        "benchmark");
    }
    points[{selection.name.empty() ? p.set : selection.name, p.machine, p.run, nodes, p.ranks, p.collective}]
        .emplace_back(static_cast<double>(p.bytes), p.time_ns);
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
    for (const auto& [bytes, ns] : all) {
      c.bytes.push_back(bytes);
      c.times_ns.push_back(ns);
    }
  }
  return out;
}

}  // namespace convert
