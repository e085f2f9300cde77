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
  std::optional<std::string> output;

  // Returns how often must occur what is told: of several sets more often than of one.
  [[nodiscard]] std::uint32_t least(std::size_t sets) const;
};

void declare_profile(App& app, ProfileOptions& to);

}  // namespace tools
