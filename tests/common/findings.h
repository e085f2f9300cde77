// SPDX-License-Identifier: MIT
// Findings as text to compare; each is "FILE:LINE:COLUMN: SEVERITY: MESSAGE [RULE]", as much of the place as is
// known.
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

// All in one text, with a line feed behind each.
inline std::string findings_text(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) text += format_diagnostic(d) + "\n";
  return text;
}

// As findings_text, without the name of the file "f": each is "LINE:COLUMN: …" or, where it has no line, "SEVERITY:
// …"; no line feed behind the last.
inline std::string findings_in_f(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) {
    const std::string line = format_diagnostic(d);  // "f:…" or "f: …"
    text += (text.empty() ? "" : "\n") + line.substr(line[2] == ' ' ? 3 : 2);
  }
  return text;
}

// The first finding as an Error, for what gives no result when it has findings; "?" if there is none.
inline Error first_finding(const Diagnostics& diagnostics) {
  return Error(diagnostics.all().empty() ? "?" : format_diagnostic(diagnostics.all()[0]));
}

// What `read` throws comes behind what it has found.
template <class Read>
void read_with_findings(const Read& read, Diagnostics& diagnostics) {
  try {
    read(diagnostics);
  } catch (const Error& e) {
    diagnostics.error(e.where(), e.rule(), e.what());
  }
}

}  // namespace convert::test
