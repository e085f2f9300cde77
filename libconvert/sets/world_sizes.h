// SPDX-License-Identifier: MIT
// Collects the world_size (number of ranks of the whole set) that the ranks' metadata state.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/diagnostic.h"
#include "core/trace.h"

namespace convert {

// Collects world sizes; the result does not depend on the order in which ranks are added. Thread-safe.
class WorldSizes {
 public:
  // Adds a rank; `world` is empty if the rank states none.
  void add(Rank rank, const std::string& file, std::optional<Rank> world);

  // Returns the world_size of the lowest rank that states one.
  [[nodiscard]] std::optional<Rank> first() const;
  // Returns the file of that rank.
  [[nodiscard]] std::string first_file() const;
  [[nodiscard]] bool differ() const;
  // Warns if the sizes differ, with the lowest rank that states a size and the lowest rank that states another
  // size.
  void warn_if_they_differ(Diagnostics& diagnostics) const;

 private:
  struct Said {
    std::pair<Rank, std::string> by;  // rank and file
    Rank world = 0;
  };
  mutable std::mutex mutex_;
  std::optional<Said> first_;
  std::optional<Said> other_;  // lowest rank that states another size
};

}  // namespace convert
