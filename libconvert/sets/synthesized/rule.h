// SPDX-License-Identifier: MIT
// Parses what rules for collectives say of algorithms that are synthesized: "synthesized,effort=fast,chunks=4".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/network/forwarding.h"
#include "core/algorithm/schedule.h"
#include "core/collective.h"
#include "synthesis/portfolio.h"

namespace convert {

inline constexpr std::string_view synthesized_name = "synthesized";

struct SynthesisRule {
  SynthesisChoice choice{};
  std::optional<std::string> network{};            // net=, as option -n takes it
  std::vector<std::string> failed{};               // links of it, as erase_failed_wires() takes them
  bool detours = false;                            // over NPUs outside of a group, see network_of_group()
  std::optional<Schedule::Occupancy> occupancy{};  // nothing: not given
  std::optional<Forwarding> forwarding{};
  std::string text{};  // the same with names as they are printed
};

// Returns whether the algorithm that a rule names, up to the first comma, is "synthesized".
[[nodiscard]] bool names_synthesis(std::string_view text);

// Parses
// "synthesized,effort=fast,chunks=4,max-chunks=8,method=trees+exact,seed=2,occupancy=beta,forwarding=cut,
// net=FILE,fail=3-4+5>6,detours=yes",
// keys as needed; what other words stand behind the network are its options. Throws Error(usage).
[[nodiscard]] SynthesisRule parse_synthesis_rule(std::string_view text);

// Throws Error(usage) if nothing can be synthesized for a collective; without one all is well.
void check_synthesized(std::optional<Collective> collective);

}  // namespace convert
