// SPDX-License-Identifier: MIT
// Findings about a run: sentences with the numbers that support them, produced by rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyze/figures/figures.h"
#include "core/run.h"

namespace convert {

struct Finding {
  std::string_view rule;   // "headline", "straggler", …
  std::string_view panel;  // panel of the report page with details: "path", "links", …
  std::string text{};      // a sentence
  double value = 0;        // main number of the sentence: see findings.def
  // Share by which the remedy shortens the run, from a replay with the remedy or estimated. 0 for the headline and
  // for limits.
  double effect = 0;
  bool replayed = false;
  std::vector<Rank> npus{};       // subjects of the sentence, ascending
  std::vector<Figure> numbers{};  // in the sentence
};

// Maximum number of findings after the headline.
inline constexpr std::size_t most_findings = 5;
// A finding is kept if its remedy shortens the run by at least this share.
inline constexpr double least_effect = 0.01;

// Returns the headline, then the findings, the largest effect first. Limits of the model, if any, are the last
// finding, independent of their effect. A run without slices has at most a headline.
[[nodiscard]] std::vector<Finding> findings_of(const Run& run);

// Append the findings as text, one line each, or as a JSON array at the given indent. Its objects have the members
// "rule", "panel", "text", "value", "effect", "replayed", "npus" and "numbers".
void append_text(const std::vector<Finding>& findings, std::string& out);
void append_json(const std::vector<Finding>& findings, std::string& out, unsigned indent = 0);

}  // namespace convert
