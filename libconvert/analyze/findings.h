// SPDX-License-Identifier: MIT
// Finds what is worth saying of a run, by rules: sentences, each with the number on which it rests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/run.h"

namespace convert {

struct Finding {
  std::string_view rule;   // "headline", "straggler", …
  std::string_view panel;  // of the report page that shows more: "path", "links", …
  std::string text{};      // a sentence
  double value = 0;        // the number on which it rests: see findings.def
};

// At most so many findings follow the headline.
inline constexpr std::size_t most_findings = 4;

// Returns the headline, then what the other rules find: first what names a culprit, then what describes; of each
// kind the largest first. A run without slices has a headline at most.
[[nodiscard]] std::vector<Finding> findings_of(const Run& run);

// Append the findings for people, a line each, or as a JSON array of {"rule", "panel", "text", "value"}, which
// stands in a document at this indent.
void append_text(const std::vector<Finding>& findings, std::string& out);
void append_json(const std::vector<Finding>& findings, std::string& out, unsigned indent = 0);

}  // namespace convert
