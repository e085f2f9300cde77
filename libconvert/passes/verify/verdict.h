// SPDX-License-Identifier: MIT
// Verdict of a proof of a collective, computed by et-validate --dataflow and shown by et-graph.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/collective.h"
#include "core/diagnostic.h"

namespace convert {

struct Verdict {
  enum class Outcome : std::uint8_t {
    proved,    // every rank ends with the result of the collective
    refuted,   // `refutation` is the first error in the order of lines
    unproved,  // no error is known; `reason` states why there is no proof
  };
  Outcome outcome = Outcome::unproved;
  Collective collective = Collective::custom;  // proved, or claimed
  Diagnostic refutation{};
  std::string reason{};
};

// Returns "proved", "refuted" or "not proved".
[[nodiscard]] std::string_view name(Verdict::Outcome outcome);

// Returns "result proved", "refuted [postcondition]: ring.xml:12: …" or "result not proved: …".
[[nodiscard]] std::string describe(const Verdict& verdict);

}  // namespace convert
