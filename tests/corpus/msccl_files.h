// SPDX-License-Identifier: MIT
// The MSCCL-IR files of the corpus, and their errors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/diagnostic.h"
#include "corpus/corpus.h"
#include "formats/msccl/msccl.h"
#include "io/input.h"

namespace corpus {

inline convert::Algorithm read_algorithm(const std::filesystem::path& path) {
  convert::Diagnostics diagnostics;
  auto input = convert::open_input(path.string());
  return convert::read_msccl(input->read_rest(), path.filename().string(), diagnostics);
}

// Returns the files that are valid according to verdicts.tsv.
inline std::vector<std::filesystem::path> sound_files() {
  std::vector<std::filesystem::path> out;
  for (auto row : read_table(root() / "msccl" / "verdicts.tsv")) {
    if (row["verdict"] == "OK") out.push_back(root() / "msccl" / row["file"]);
  }
  return out;
}

// Returns the first errors, one per line.
inline std::string error_lines(const convert::Diagnostics& diagnostics) {
  std::string out;
  for (const convert::Diagnostic& d : diagnostics.all()) {
    if (d.severity == convert::Severity::error && out.size() < 2000) out += format_diagnostic(d) + "\n";
  }
  return out;
}

}  // namespace corpus
