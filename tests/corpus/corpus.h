// SPDX-License-Identifier: MIT
// Paths of the corpus, and its tab-separated tables.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "common/source_dir.h"

namespace corpus {

inline std::filesystem::path root() {
  if (const char* given = std::getenv("ETKIT_CORPUS")) return given;
  return convert::test::source_dir().parent_path() / "shared" / "corpus";
}

// Returns the files with this suffix below a folder, sorted, except traces that are named as broken.
inline std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder, const std::string& suffix) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const bool bad = suffix == ".0.et" && entry.path().filename().string().starts_with("bad_");
    if (entry.is_regular_file() && entry.path().string().ends_with(suffix) && !bad) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Splits a line; cells of comma-separated values may be quoted.
inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::string item;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"' && separator == ',') {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      out.push_back(item);
      item.clear();
    } else {
      item += c;
    }
  }
  out.push_back(item);
  return out;
}

// Rows of a table with a header line, as maps from column name to cell.
inline std::vector<std::map<std::string, std::string>> read_table(const std::filesystem::path& path,
                                                                  char separator = '\t') {
  std::ifstream in(path);
  std::string line;
  const auto next = [&] {
    const bool found = static_cast<bool>(std::getline(in, line));
    if (line.ends_with('\r')) line.pop_back();
    return found;
  };
  next();
  const auto header = split(line, separator);
  std::vector<std::map<std::string, std::string>> rows;
  while (next()) {
    const auto cells = split(line, separator);
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size() && i < header.size(); ++i) row[header[i]] = cells[i];
  }
  return rows;
}

}  // namespace corpus

// Skips a test, with a message, if the corpus is absent.
#define REQUIRE_CORPUS()                                                                       \
  do {                                                                                         \
    if (!std::filesystem::exists(corpus::root())) {                                            \
      GTEST_SKIP() << "no corpus at " << corpus::root() << "; set ETKIT_CORPUS to its folder"; \
    }                                                                                          \
  } while (false)
