// SPDX-License-Identifier: MIT
#include "passes/verify/verdict.h"

namespace convert {

std::string_view name(Verdict::Outcome outcome) {
  switch (outcome) {
    case Verdict::Outcome::proved: return "proved";
    case Verdict::Outcome::refuted: return "refuted";
    case Verdict::Outcome::unproved: return "not proved";
  }
  return "";
}

std::string describe(const Verdict& verdict) {
  if (verdict.outcome == Verdict::Outcome::proved) return "result proved";
  if (verdict.outcome == Verdict::Outcome::unproved) return "result not proved: " + verdict.reason;
  const std::string place = format_location(verdict.refutation.where);
  return "refuted [" + verdict.refutation.rule + "]: " + (place.empty() ? "" : place + ": ") +
         verdict.refutation.message;
}

}  // namespace convert
