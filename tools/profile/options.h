// SPDX-License-Identifier: MIT
// Declares the options of et-profile.
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

  // Returns how often must occur what is told: of several sets more often than of one.
  [[nodiscard]] std::uint32_t least(std::size_t sets) const;
  // Returns how many clusters so many sets are taken apart into; none: as many as are found. Throws Error(usage) if
  // the option says something else, or more than there are sets.
  [[nodiscard]] std::optional<std::size_t> clusters(std::size_t sets) const;
};

void declare_profile(App& app, ProfileOptions& to);

}  // namespace tools
