// SPDX-License-Identifier: MIT
// Options of et-profile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/options.h"

namespace tools {

struct ProfileOptions {
  InputOptions input;
  std::optional<std::int64_t> k;
  std::optional<std::string> representatives;  // "auto", or a number
  std::optional<std::string> output;

  // Returns the number of occurrences from which something is kept; larger for several sets than for one.
  [[nodiscard]] std::uint32_t least(std::size_t sets) const;
  // Returns the number of clusters for `sets` sets; nothing: to be found. Throws Error(usage) if the option is
  // malformed or exceeds the number of sets.
  [[nodiscard]] std::optional<std::size_t> clusters(std::size_t sets) const;
};

void declare_profile(App& app, ProfileOptions& to);

}  // namespace tools
