// SPDX-License-Identifier: MIT
// A folder for a benchmark's files, deleted at its end.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/diagnostic.h"

namespace bench {

class Scratch {
 public:
  Scratch() {
    const auto temporary = std::filesystem::temp_directory_path();
    path_ = temporary / "etkit-bench-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) throw convert::system_error(path_, errno);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace bench
