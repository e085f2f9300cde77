// SPDX-License-Identifier: MIT
// Synthesizes on a network of the corpus in a child process: the time found, seconds, memory, proof.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <string>

#include "bench/measure.h"
#include "common/refutation.h"
#include "common/replay_traces.h"
#include "corpus/synthesis_networks.h"
#include "sets/synthesized/synthesized.h"
#include "synthesis/greedy.h"
#include "unit/passes/lowered.h"

namespace bench {

struct SynthesisCase {
  std::string network;
  convert::Collective collective = convert::Collective::all_gather;
  std::int64_t bytes = 1 << 20;  // of a participant's shard; of a pair's in an all-to-all, of all data in a
                                 // broadcast
  convert::Schedule::Occupancy occupancy = convert::Schedule::Occupancy::beta;
  convert::SynthesisChoice choice{};
};

// Result of a case; `error` is the reason if there is no result. A one-line text contains all of it.
struct SynthesisOutcome {
  std::string error{};
  std::uint32_t npus = 0;  // participants
  double bound_us = 0;
  double found_us = 0;
  double seconds = 0;         // of CPU
  double anchor_seconds = 0;  // of synthesis_anchor(), measured just before
  double mib = 0;             // peak, minus the memory of the process with the problem alone
  bool proved = false;
  std::string method{};

  [[nodiscard]] double ratio() const { return found_us / bound_us; }
  [[nodiscard]] double anchors() const { return seconds / anchor_seconds; }
};

inline convert::SynthesisProblem synthesis_problem(const SynthesisCase& c) {
  const corpus::SynthesisNetwork network = corpus::synthesis_network(c.network);
  convert::Diagnostics diagnostics;
  convert::SynthesisProblem problem =
      c.collective == convert::Collective::broadcast
          ? make_problem(network.config,
                         {.collective = c.collective, .bytes = c.bytes, .group = network.participants}, diagnostics)
          : corpus::synthesis_problem(network, c.collective, c.bytes);
  problem.occupancy = c.occupancy;
  return problem;
}

// Returns the seconds of work that hardly changes, to compare times between machines and between states of one
// machine: an all-gather by matching on a torus of 8x8, with two chunks each.
inline double synthesis_anchor() {
  const convert::SynthesisProblem problem = synthesis_problem({.network = "torus_8x8"});
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const double begin = cpu_seconds();
    (void)match_greedily(problem, {.pieces = 2});
    best = std::min(best, cpu_seconds() - begin);
  }
  return std::max(best, 1e-6);
}

// Throws std::runtime_error if the algorithm is not proved, or does not replay to its claimed time.
inline void prove_synthesized(const SynthesisCase& c, const convert::CheckedSchedule& made) {
  using namespace convert;
  const auto traces = test::lower(made.algorithm);
  if (!test::refutation(traces).empty()) throw std::runtime_error("not proved");
  Diagnostics diagnostics;
  ReplayOptions options;
  options.network.model = NetworkModel::wires;
  options.network.forwarding = Forwarding::store;
  const bool beta = c.occupancy == Schedule::Occupancy::beta;
  options.network.occupancy = beta ? Occupancy::beta : Occupancy::alpha_beta;
  const auto result =
      test::replay_traces(traces, corpus::synthesis_network(c.network).config, options, diagnostics);
  const auto hops = static_cast<Picoseconds>(3 * traces.size());  // 1 ps for each on the longest route
  if (!result || std::abs(result->total_ps - *made.schedule.claimed_ps) > hops)
    throw std::runtime_error("replays otherwise");
}

// Returns the result of a case. `prove`: also proves it.
inline SynthesisOutcome synthesize_alone(const SynthesisCase& c, bool prove) {
  using namespace convert;
  const SynthesisProblem problem = synthesis_problem(c);
  SynthesisOutcome out{.npus = problem.size(), .anchor_seconds = synthesis_anchor()};
  const auto peak_mib = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
  };
  const double before = peak_mib();
  const double begin = cpu_seconds();
  const SynthesisResult result = synthesize(problem, c.choice);
  out.seconds = cpu_seconds() - begin;
  out.mib = peak_mib() - before;
  out.bound_us = static_cast<double>(result.bounds.lower) / 1e6;
  out.found_us = static_cast<double>(result.made.total) / 1e6;
  out.method = result.made.method;
  if (!prove) return out;
  Diagnostics findings;
  prove_synthesized(c, check_and_repair(schedule_of(problem, result.made), {}, findings));
  out.proved = true;
  return out;
}

inline SynthesisOutcome read_outcome(const std::string& line) {
  SynthesisOutcome out;
  std::istringstream in(line);
  in >> out.npus >> out.bound_us >> out.found_us >> out.seconds >> out.anchor_seconds >> out.mib >> out.proved;
  in.ignore();
  std::getline(in, out.method, '\t');
  std::getline(in, out.error);
  return out;
}

inline std::string outcome_line(const SynthesisOutcome& o) {
  std::ostringstream text;
  text.precision(12);
  text << o.npus << ' ' << o.bound_us << ' ' << o.found_us << ' ' << o.seconds << ' ' << o.anchor_seconds << ' '
       << o.mib << ' ' << o.proved << ' ' << o.method << '\t' << o.error;
  return text.str();
}

// Does the same in a child process, which is stopped after `most_seconds`.
inline SynthesisOutcome measure_synthesis(const SynthesisCase& c, bool prove, unsigned most_seconds) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  malloc_trim(0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(most_seconds);
    SynthesisOutcome out;
    try {
      out = synthesize_alone(c, prove);
    } catch (const std::exception& e) {
      out.error = e.what();
    }
    const std::string line = outcome_line(out);
    _exit(write(ends[1], line.data(), line.size()) == static_cast<ssize_t>(line.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string line;
  std::array<char, 1024> part{};
  for (ssize_t n = 0; (n = read(ends[0], part.data(), part.size())) > 0;)
    line.append(part.data(), static_cast<std::size_t>(n));
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  if (!line.empty()) return read_outcome(line);
  return {.error = "stopped after " + std::to_string(most_seconds) + " s"};
}

}  // namespace bench
