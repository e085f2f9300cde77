// SPDX-License-Identifier: MIT
// Proves what an anonymised set hides, and what it keeps of the original set.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "anonymize/numbers.h"
#include "anonymize/replays.h"
#include "core/diagnostic.h"
#include "sets/anonymized/anonymizing.h"

namespace tools {

// Number of findings of one et-validate rule, before and after.
struct RuleVerdict {
  std::uint64_t errors_before = 0, warnings_before = 0;
  std::uint64_t errors_after = 0, warnings_after = 0;
  [[nodiscard]] bool same() const { return errors_before == errors_after && warnings_before == warnings_after; }
  // Returns whether the rule has findings only after. The number of findings may differ: the ways in which ranks
  // wait for each other change if the ranks are renumbered.
  [[nodiscard]] bool worse() const {
    return (errors_after != 0 && errors_before == 0) ||
           (warnings_after != 0 && errors_before + warnings_before == 0);
  }
};

struct TextProof {
  std::uint64_t searched = 0, left_out = 0;
  std::uint64_t bytes = 0;             // searched
  std::vector<std::string> survive{};  // ascending
  std::uint64_t in_vocabulary = 0;     // found, but words of the format, such as names of attributes
  std::uint64_t in_numbers = 0;        // found only in bytes that are not text
};

struct AnonymityProof {
  std::vector<ReplayProof> replays{};
  std::map<std::string, RuleVerdict> verdicts{};  // by rule; only rules with findings
  TextProof texts{};
  NumbersProof numbers{};

  // Returns what fails, one line each; empty if everything holds.
  [[nodiscard]] std::vector<std::string> failures() const;
};

struct ProofOptions {
  std::vector<std::string> names{};  // of the input files; their words must not survive either
  std::string network{};             // empty: switch:N
  unsigned jobs = 1;
};

// Throws Error if the sets cannot be read, or if the network is invalid.
[[nodiscard]] AnonymityProof prove_anonymity(convert::KeptSet& before, convert::AnonymizedSet& after,
                                             const ProofOptions& options);

// Returns the proof as JSON, as text, and as one line.
[[nodiscard]] std::string proof_json(const AnonymityProof& proof);
[[nodiscard]] std::string proof_text(const AnonymityProof& proof);
[[nodiscard]] std::string proof_line(const AnonymityProof& proof);

}  // namespace tools
