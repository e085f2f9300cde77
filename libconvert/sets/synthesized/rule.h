// SPDX-License-Identifier: MIT
// Parses synthesized algorithms in rules for collectives: "synthesized,effort=fast,chunks=4".
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
  std::optional<std::string> network{};            // net=, as in option -n
  std::vector<std::string> failed{};               // links of the network, as in erase_failed_wires()
  bool detours = false;                            // through NPUs outside a group, see network_of_group()
  std::optional<Schedule::Occupancy> occupancy{};  // empty: not given
  std::optional<Forwarding> forwarding{};
  std::string text{};  // normalised text, with names as they are printed
};

// Returns whether the algorithm of a rule, up to the first comma, is "synthesized".
[[nodiscard]] bool names_synthesis(std::string_view text);

// Parses
// "synthesized,effort=fast,chunks=4,max-chunks=8,method=trees+exact,seed=2,occupancy=beta,forwarding=cut,
// net=FILE,fail=3-4+5>6,detours=yes",
// with any of the keys; other words after the network are options of the network. Throws Error(usage).
[[nodiscard]] SynthesisRule parse_synthesis_rule(std::string_view text);

// Throws Error(usage) if a collective cannot be synthesized; accepts no collective.
void check_synthesized(std::optional<Collective> collective);

}  // namespace convert
