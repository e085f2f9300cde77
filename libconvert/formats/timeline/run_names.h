// SPDX-License-Identifier: MIT
// Names of the runs in a file.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnostic.h"
#include "core/run.h"

namespace convert {

// Returns a distinct name for each run, by default its title. Throws Error(usage) if there are too many runs.
[[nodiscard]] inline std::vector<std::string> run_titles(std::span<const Run> runs) {
  constexpr std::size_t most = 255;  // arrows identify the run by 8 bits
  if (runs.size() > most) throw usage_error("a timeline holds at most " + std::to_string(most) + " runs");
  std::vector<std::string> titles;
  for (const Run& run : runs) {
    std::string title = run.title.empty() ? "run " + std::to_string(titles.size() + 1) : run.title;
    for (std::size_t i = 2; std::find(titles.begin(), titles.end(), title) != titles.end(); ++i)
      title = run.title + " (" + std::to_string(i) + ")";
    titles.push_back(std::move(title));
  }
  return titles;
}

}  // namespace convert
