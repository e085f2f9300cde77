// SPDX-License-Identifier: MIT
// Algorithms for several concurrent collectives on a network, and traces in which each NPU has all its collectives.
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

// Returns the best solution found for problems that make_problem() made from one network. Throws Error as
// synthesize_together() does.
[[nodiscard]] JointAlgorithms make_together(std::vector<SynthesisProblem> problems, const SynthesisChoice& choice);

// Returns the algorithm of one collective alone, with its schedule. Its ranks are the indices in its group; NPUs
// that do not participate are switches. Throws Error if the schedule breaks a rule of schedules.
[[nodiscard]] CheckedSchedule algorithm_of(const JointAlgorithms& made, std::size_t collective);

// Returns the schedule of one collective on the whole network, with NPUs that do not participate as relays. Throws
// Error(input) if relays would have to forward several partial sums.
[[nodiscard]] CheckedSchedule relayed_schedule(const JointAlgorithms& made, std::size_t collective);

// Traces of all NPUs. Collectives have the form that et-merge writes; the messages of all collectives share the
// link order of each link. Collectives of one NPU are omitted.
class JointTraces {
 public:
  // `network`: its id, see network_id(). Throws Error as algorithm_of() does.
  JointTraces(const JointAlgorithms& made, const std::string& network, Diagnostics& diagnostics);
  ~JointTraces();

  // Returns the trace of an NPU. Thread-safe.
  [[nodiscard]] Trace trace(Rank rank) const;
  [[nodiscard]] Rank ranks() const;
  [[nodiscard]] std::string name() const;
  // Returns the groups as the text of a groups file; nothing if all NPUs participate in each collective.
  [[nodiscard]] std::optional<std::string> groups() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
