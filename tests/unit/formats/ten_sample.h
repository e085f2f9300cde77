// SPDX-License-Identifier: MIT
// For tests of the format ten: schedules from texts and from testdata/ten, and their findings.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/findings.h"
#include "common/testdata.h"
#include "formats/format.h"

namespace convert::test {

// Reads a schedule in any spelling of the format ten; findings are about the file "f".
inline Schedule read_ten(const std::string& text, Diagnostics& diagnostics, const FormatOptions& options = {}) {
  return find_format("ten").read_schedule(text, "f", options, diagnostics);
}

// Returns the contents of a file of testdata/ten.
inline std::string ten_file(const std::string& name) { return file_bytes(testdata("ten") / name); }

// Writes a schedule in a form of the format ten: json or csv.
inline std::string written_ten(const Schedule& s, const std::string& form = "json") {
  std::string out;
  find_format("ten").write_schedule(
      s, FormatOptions(std::vector<std::pair<std::string, std::string>>{{"form", form}}), out);
  return out;
}

// Returns all findings, including a thrown error, as "LINE:COLUMN: error: MESSAGE [RULE]", one per line.
inline std::string ten_findings(const std::string& text) {
  Diagnostics diagnostics;
  read_with_findings([&](Diagnostics& d) { (void)read_ten(text, d); }, diagnostics);
  return findings_in_f(diagnostics);
}

// A text with `from` replaced by `to`, and its findings.
struct TenRefusal {
  std::string from;
  std::string to;
  std::string error;
};

}  // namespace convert::test
