// SPDX-License-Identifier: MIT
// Findings as text to compare, each "FILE:LINE:COLUMN: SEVERITY: MESSAGE [RULE]" with the known parts of the
// location.
#pragma once

#include <string>
#include <vector>

#include "core/diagnostic.h"

namespace convert::test {

inline std::vector<std::string> finding_lines(const Diagnostics& diagnostics) {
  std::vector<std::string> lines;
  for (const Diagnostic& d : diagnostics.all()) lines.push_back(format_diagnostic(d));
  return lines;
}

// Returns all findings in one text, with a line feed after each.
inline std::string findings_text(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) text += format_diagnostic(d) + "\n";
  return text;
}

// As findings_text, without the file name "f": each finding is "LINE:COLUMN: …" or, without a line, "SEVERITY: …";
// no line feed after the last one.
inline std::string findings_in_f(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) {
    const std::string line = format_diagnostic(d);  // "f:…" or "f: …"
    text += (text.empty() ? "" : "\n") + line.substr(line[2] == ' ' ? 3 : 2);
  }
  return text;
}

// Returns the first finding as an Error, for functions that return no result if there are findings; "?" without
// findings.
inline Error first_finding(const Diagnostics& diagnostics) {
  return Error(diagnostics.all().empty() ? "?" : format_diagnostic(diagnostics.all()[0]));
}

// Runs `read`. The error that it throws is reported after its findings.
template <class Read>
void read_with_findings(const Read& read, Diagnostics& diagnostics) {
  try {
    read(diagnostics);
  } catch (const Error& e) {
    diagnostics.error(e.where(), e.rule(), e.what());
  }
}

}  // namespace convert::test
