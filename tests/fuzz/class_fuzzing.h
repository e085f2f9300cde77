// SPDX-License-Identifier: MIT
// Replays a class-compressed set by classes, and compares it with a replay of every rank.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/master/master.h"
#include "scenario/class_ranks.h"
#include "scenario/scenario.h"
#include "simulate/report/report.h"
#include "trace_fuzzing.h"

namespace convert::fuzzing {

// A file in memory with a name.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : file_(memfd_create("fuzz", MFD_CLOEXEC)) {
    check(file_ >= 0 && ::write(file_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
          "no file in memory");
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  [[nodiscard]] std::string name() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

inline std::vector<Trace> traces_of(const MasterSet& set, const std::string& name) {
  std::vector<Trace> traces;
  for (std::uint64_t i = 0; i < set.ranks(); ++i) {
    traces.push_back(set.head(set.place(i), name));
    set.nodes(set.place(i), name, traces.back().nodes);
  }
  return traces;
}

class ClassReplay {
 public:
  // `variant` selects network, model and rules.
  ClassReplay(const std::string& bytes, std::uint32_t variant) : file_(bytes), variant_(variant) {
    const auto input = memory_input("fuzz.etm", bytes);
    set_ = read_master(*input);
  }

  // Ignores sets that are too large for a quick run.
  void run() const {
    constexpr std::uint64_t most_ranks = 32, most_nodes = 3000;
    if (set_.ranks() < 2 || set_.ranks() > most_ranks || set_.node_count() > most_nodes) return;
    Diagnostics diagnostics;
    Scenario scenario = scenario_of(file_.name());
    TraceSource source({.operands = {file_.name()}, .hash = false}, diagnostics);
    if (!prepare(source, true, file_.name())) return;
    add_groups(scenario, source.groups());
    const LoadedReplay loaded = load_replay(source, scenario, 1, diagnostics);
    check(static_cast<bool>(loaded) == (diagnostics.errors() == 0),
          "a set is refused without an error, or is not in spite of one");
    if (has_whole_classes(set_, file_.name(), scenario.options)) compare_with_traces(scenario, loaded, diagnostics);
    if (!loaded) return;
    compare(*loaded.program);
  }

 private:
  [[nodiscard]] std::string network() const {
    const std::uint64_t n = set_.ranks();
    const auto dim = [](std::uint64_t npus, std::uint32_t which) {
      constexpr std::string_view topologies[] = {"switch:", "ring:", "fully_connected:"};
      return std::string(topologies[which % 3]) + std::to_string(npus);
    };
    // One in four is slow and without latency, so that many times coincide.
    const auto pace = [&](std::string_view other) {
      return std::string((variant_ >> 15U & 3U) == 3 ? ",bw=1GB/s,lat=0ns" : other);
    };
    const std::uint64_t inner = (variant_ & 1U) != 0 ? 2 : 4;
    if ((variant_ & 2U) == 0 || n % inner != 0 || n == inner)
      return dim(n, variant_ >> 2U) + pace(",bw=50GB/s,lat=500ns");
    return dim(inner, variant_ >> 2U) + pace(",bw=450GB/s,lat=300ns") + '+' + dim(n / inner, variant_ >> 4U) +
           pace(",bw=50GB/s,lat=2us");
  }
  [[nodiscard]] Scenario scenario_of(const std::string& file) const {
    RunSettings settings{.workload = file, .network = network()};
    constexpr NetworkModel models[] = {NetworkModel::unaware, NetworkModel::aware, NetworkModel::wires};
    settings.model = models[(variant_ >> 8U) % 3];
    settings.astra = (variant_ >> 10U & 1U) != 0;
    if ((variant_ >> 11U & 7U) == 0) settings.options.slow[static_cast<Rank>(variant_ % set_.ranks())] = 1.5;
    return make_scenario(settings);
  }

  // Returns the result of a replay as text, without the number of simulated ranks; the error if times are too
  // large.
  static std::string text_of(const ReplayProgram& program) {
    std::string text;
    try {
      ReplayResult result = replay(program);
      result.kinds = collective_kinds(program);
      result.classes = 0;
      result.equivalence = nullptr;
      result.no_symmetry.clear();
      append_json(result, text);
      append_text(result, text);
      for (const std::string& line : describe(result.waits, 10)) text += line + '\n';
    } catch (const Error& e) {
      check(e.kind() == Error::Kind::input, "an error that is not about the input");
      text = e.what();
    }
    return text;
  }

  void compare(ReplayProgram program) const {
    const std::string by_classes = text_of(program);
    if ((variant_ >> 14U & 1U) != 0) check_bound(program);
    program.options.whole_rings = false;
    check_same(text_of(program), by_classes, "a replay of each message of representatives differs");
    program.options.whole_rings = true;
    program.options.symmetry = false;
    check_same(text_of(program), by_classes, "a replay with rings as wholes differs");
    program.options.whole_rings = false;
    check_same(by_classes, text_of(program), "a replay of every rank differs");
  }
  // If chunks that differ by one byte count as equal, no time differs by more than the reported bound.
  static void check_bound(ReplayProgram program) {
    try {
      program.options.exact_up_to = 0;
      const ReplayResult rounded = replay(program);
      program.options.symmetry = false;
      const ReplayResult exact = replay(program);
      check(rounded.status == exact.status, "a replay of rounded chunks ends with a different status");
      for (std::size_t r = 0; r < exact.npus.size(); ++r) {
        const auto a = rounded.npus[r].finish_ps, b = exact.npus[r].finish_ps;
        check(a.has_value() == b.has_value(), "an NPU finishes in only one of the two replays");
        check(std::abs(a.value_or(0) - b.value_or(0)) <= rounded.error_bound_ps,
              "a replay of rounded chunks exceeds its error bound");
      }
    } catch (const Error& e) {
      check(e.kind() == Error::Kind::input, "an error that is not about the input");
    }
  }
  void compare_with_traces(const Scenario& scenario, const LoadedReplay& by_classes,
                           const Diagnostics& of_classes) const {
    std::vector<Trace> traces = traces_of(set_, file_.name());
    std::stable_sort(traces.begin(), traces.end(), [](const Trace& a, const Trace& b) { return a.rank < b.rank; });
    Diagnostics diagnostics;
    const LoadedReplay loaded = load_replay(traces, scenario, 1, diagnostics);
    check(static_cast<bool>(loaded) == static_cast<bool>(by_classes), "ranks are refused that classes are not");
    if (!loaded) return check(diagnostics.errors() == of_classes.errors(), "ranks have other errors than classes");
    check_same(text_of(*by_classes.program), text_of(*loaded.program),
               "a replay of what was read by ranks differs");
  }
  static void check_same(const std::string& a, const std::string& b, const char* what) {
    if (a == b) return;
    std::fprintf(stderr, "%s\n----\n%s\n", a.c_str(), b.c_str());
    check(false, what);
  }

  MemoryFile file_;
  std::uint32_t variant_;
  MasterSet set_;
};

}  // namespace convert::fuzzing
