// SPDX-License-Identifier: MIT
// Surveys a rank's iterations, to check that all ranks agree and to compute how long iterations last.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "passes/iterations/iterations.h"

namespace convert {

// Iterations of a rank, as the whole set needs them.
struct IterationSurvey {
  // Messages with another rank in an iteration: their number, and a sum over their tags that is equal at both ends.
  struct Messages {
    std::uint64_t sends = 0, send_tags = 0, receives = 0, receive_tags = 0;
  };

  Rank rank = 0;
  bool marked = false;
  CallPeriod period{};  // if it is not marked
  std::vector<std::int64_t> numbers{};
  std::vector<std::uint64_t> nodes{};                         // by iteration
  std::vector<std::int64_t> lengths_ns{};                     // by iteration; see below
  bool timed = false;                                         // begins are recorded
  std::vector<std::vector<std::int64_t>> tags{};              // by iteration: ascending, without repetition
  std::map<std::string, std::vector<std::uint64_t>> calls{};  // of a group, by iteration
  std::map<std::pair<std::uint32_t, std::int64_t>, Messages> messages{};  // by iteration and peer
};

// Returns the survey of a rank. An iteration lasts from its first begin to the first begin of the next one; the
// last one lasts to the end of the trace. If begins are not recorded, it lasts as long as its computations.
[[nodiscard]] IterationSurvey survey_iterations(const Trace& trace, const Iterations& found);

// Throw Error(input) [iterations] unless all ranks have the same iterations, and unless the calls and messages of
// iterations `first` to `last` are complete, respectively. `set`: name of the set, for messages.
void check_same_iterations(const std::string& set, const std::vector<IterationSurvey>& ranks);
void check_complete_iterations(const std::string& set, const std::vector<IterationSurvey>& ranks, std::size_t first,
                               std::size_t last);

}  // namespace convert
