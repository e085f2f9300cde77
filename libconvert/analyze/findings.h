// SPDX-License-Identifier: MIT
// Findings of a run, by rules: sentences, each with the numbers on which it rests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyze/figures/figures.h"
#include "core/run.h"

namespace convert {

struct Finding {
  std::string_view rule;   // "headline", "straggler", …
  std::string_view panel;  // of the report page that shows more: "path", "links", …
  std::string text{};      // a sentence
  double value = 0;        // the number behind the sentence: see findings.def
  // Share by which the remedy shortens the run, from a replay with the remedy or estimated. 0 for the headline
  // and for limits.
  double effect = 0;
  bool replayed = false;
  std::vector<Rank> npus{};       // subjects of the sentence, ascending
  std::vector<Figure> numbers{};  // of the sentence
};

// At most so many findings follow the headline.
inline constexpr std::size_t most_findings = 5;
// A finding is kept if its remedy shortens the run by at least this share.
inline constexpr double least_effect = 0.01;

// Returns the headline, then the findings, the one with the largest effect first. Limits of the model, if any,
// are the last finding, whatever its effect. A run without slices has a headline at most.
[[nodiscard]] std::vector<Finding> findings_of(const Run& run);

// Append the findings for people, a line each, or as a JSON array of {"rule", "panel", "text", "value", "effect",
// "replayed", "npus", "numbers"}, which stands in a document at this indent.
void append_text(const std::vector<Finding>& findings, std::string& out);
void append_json(const std::vector<Finding>& findings, std::string& out, unsigned indent = 0);

}  // namespace convert
