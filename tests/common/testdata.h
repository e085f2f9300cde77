// SPDX-License-Identifier: MIT
// Files of testdata/.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "common/source_dir.h"

namespace convert::test {

// `name` is relative to testdata/.
inline std::filesystem::path testdata(const std::filesystem::path& name) {
  return source_dir() / "testdata" / name;
}

inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace convert::test
