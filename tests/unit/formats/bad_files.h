// SPDX-License-Identifier: MIT
// Files of testdata/ that a reader must reject, each with its own error.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "read_all.h"

namespace convert::test {

// Returns the error of read(input, diagnostics), without the path at its beginning.
template <class Read>
std::string file_error(const std::filesystem::path& path, const Read& read) {
  const std::string error = error_text([&] {
    const auto input = open_input(path.string());
    Diagnostics diagnostics;
    (void)read(*input, diagnostics);
  });
  return error.starts_with(path.string()) ? error.substr(path.string().size() + 1) : error;
}

// The bad-* files of the folder are the keys of `errors`, and `read` must give the error of each.
template <class Read>
void expect_errors(const std::filesystem::path& folder, const std::map<std::string, std::string>& errors,
                   const Read& read) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("bad-")) continue;
    ++files;
    ASSERT_TRUE(errors.contains(name)) << name;
    EXPECT_EQ(file_error(entry.path(), read), errors.at(name)) << name;
  }
  EXPECT_EQ(files, errors.size());
}

}  // namespace convert::test
