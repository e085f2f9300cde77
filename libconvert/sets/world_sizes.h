// SPDX-License-Identifier: MIT
// What the ranks of one set say, in their metadata, of how many ranks the whole set has.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/diagnostic.h"
#include "core/trace.h"

namespace convert {

// Does not depend on the order in which ranks are added; by any threads.
class WorldSizes {
 public:
  // `world`: nothing if the rank does not say it.
  void add(Rank rank, const std::string& file, std::optional<Rank> world);

  // As the lowest rank says that says it.
  [[nodiscard]] std::optional<Rank> first() const;
  // The file of that rank.
  [[nodiscard]] std::string first_file() const;
  [[nodiscard]] bool differ() const;
  // Names that rank, and the lowest one that says something else, if there is one.
  void warn_if_they_differ(Diagnostics& diagnostics) const;

 private:
  struct Said {
    std::pair<Rank, std::string> by;  // the rank and its file
    Rank world = 0;
  };
  mutable std::mutex mutex_;
  std::optional<Said> first_;
  std::optional<Said> other_;  // the lowest rank that says something else
};

}  // namespace convert
