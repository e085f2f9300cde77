// SPDX-License-Identifier: MIT
// Collects the world_size, the number of ranks of the whole set, that the ranks' metadata state.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/diagnostic.h"
#include "core/trace.h"

namespace convert {

// Collects the sizes; the result does not depend on the order in which ranks are added. Thread-safe.
class WorldSizes {
 public:
  // Adds a rank; `world`: nothing if the rank does not state it.
  void add(Rank rank, const std::string& file, std::optional<Rank> world);

  // Returns the world_size of the lowest rank that states one.
  [[nodiscard]] std::optional<Rank> first() const;
  // Returns the file of that rank.
  [[nodiscard]] std::string first_file() const;
  [[nodiscard]] bool differ() const;
  // Warns, naming that rank and the lowest one that states another size, if there is one.
  void warn_if_they_differ(Diagnostics& diagnostics) const;

 private:
  struct Said {
    std::pair<Rank, std::string> by;  // rank and file
    Rank world = 0;
  };
  mutable std::mutex mutex_;
  std::optional<Said> first_;
  std::optional<Said> other_;  // the lowest rank that states another size
};

}  // namespace convert
