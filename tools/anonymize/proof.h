// SPDX-License-Identifier: MIT
// Proves what an anonymised set hides and what it keeps of the one that it was made of.
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

// Counts the findings of a rule of et-validate.
struct RuleVerdict {
  std::uint64_t errors_before = 0, warnings_before = 0;
  std::uint64_t errors_after = 0, warnings_after = 0;
  [[nodiscard]] bool same() const { return errors_before == errors_after && warnings_before == warnings_after; }
  // Returns whether there are such findings now where there were none: their number may differ, as that of the ways
  // in which ranks wait for each other does where they get other numbers.
  [[nodiscard]] bool worse() const {
    return (errors_after != 0 && errors_before == 0) ||
           (warnings_after != 0 && errors_before + warnings_before == 0);
  }
};

struct TextProof {
  std::uint64_t searched = 0, left_out = 0;
  std::uint64_t bytes = 0;             // that were searched
  std::vector<std::string> survive{};  // ascending
  std::uint64_t in_vocabulary = 0;     // found, but of the format: names of attributes and the like
  std::uint64_t in_numbers = 0;        // found in bytes that are no text
};

struct AnonymityProof {
  std::vector<ReplayProof> replays{};
  std::map<std::string, RuleVerdict> verdicts{};  // by rule; those of which there are findings
  TextProof texts{};
  NumbersProof numbers{};

  // Returns what fails, a line each; nothing: all holds.
  [[nodiscard]] std::vector<std::string> failures() const;
};

struct ProofOptions {
  std::vector<std::string> names{};  // of files, whose words must not survive either
  std::string network{};             // empty: switch:N
  unsigned jobs = 1;
};

// Throws Error where the sets cannot be read, or the network is none.
[[nodiscard]] AnonymityProof prove_anonymity(convert::KeptSet& before, convert::AnonymizedSet& after,
                                             const ProofOptions& options);

// Returns the proof as JSON, as lines for people, and as one line.
[[nodiscard]] std::string proof_json(const AnonymityProof& proof);
[[nodiscard]] std::string proof_text(const AnonymityProof& proof);
[[nodiscard]] std::string proof_line(const AnonymityProof& proof);

}  // namespace tools
