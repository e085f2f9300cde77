// SPDX-License-Identifier: MIT
// Makes algorithms for several collectives that run at once on a network, and the traces in which each NPU has all
// of its collectives.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "sets/schedules.h"
#include "synthesis/together/together.h"

namespace convert {

struct JointAlgorithms {
  JointProblem problem;
  JointResult result;
  std::string bounds;  // "4 collectives at once: 79.1 us at least (…)"

  // Returns the bounds, then "; 79.1 us found, 1.000 of the bound, each by itself".
  [[nodiscard]] std::string summary() const;
};

// Returns the best that is found for problems that make_problem() has made of one network. Throws Error as
// synthesize_together() does.
[[nodiscard]] JointAlgorithms make_together(std::vector<SynthesisProblem> problems, const SynthesisChoice& choice);

// Returns the algorithm of one of the collectives, with its schedule, by itself: its ranks are the places of its
// group; NPUs that do not take part are switches. Throws Error where the schedule breaks a rule of schedules.
[[nodiscard]] CheckedSchedule algorithm_of(const JointAlgorithms& made, std::size_t collective);

// Returns the schedule of one of the collectives on the whole network, where NPUs that do not take part are relays.
// Throws Error(input) where they would have to pass on several parts of one sum.
[[nodiscard]] CheckedSchedule relayed_schedule(const JointAlgorithms& made, std::size_t collective);

// Makes the traces of all NPUs. A collective is as et-merge puts one there; the messages of all take their turns on
// each link among themselves. Collectives of one NPU are left out.
class JointTraces {
 public:
  // `network`: its id, see network_id(). Throws Error as algorithm_of() does.
  JointTraces(const JointAlgorithms& made, const std::string& network, Diagnostics& diagnostics);
  ~JointTraces();

  // Returns the trace of an NPU. Thread-safe.
  [[nodiscard]] Trace trace(Rank rank) const;
  [[nodiscard]] Rank ranks() const;
  [[nodiscard]] std::string name() const;
  // Returns the groups as the text of a groups file; nothing if all NPUs take part in each collective.
  [[nodiscard]] std::optional<std::string> groups() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
