// SPDX-License-Identifier: MIT
#include "profile/options.h"

#include "common/option_texts.h"
#include "core/diagnostic.h"
#include "core/units.h"

namespace tools {

std::uint32_t ProfileOptions::least(std::size_t sets) const {
  constexpr std::uint32_t of_one = 2, of_many = 5;
  return k ? static_cast<std::uint32_t>(*k) : sets > 1 ? of_many : of_one;
}

std::optional<std::size_t> ProfileOptions::clusters(std::size_t sets) const {
  if (*representatives == "auto") return std::nullopt;
  const auto n = convert::parse_int(*representatives);
  if (!n || *n < 1)
    throw convert::usage_error("--representatives " + *representatives +
                               ": expected auto, or a number of clusters from 1");
  if (static_cast<std::uint64_t>(*n) > sets)
    throw convert::usage_error("--representatives " + *representatives + ": there " + (sets == 1 ? "is " : "are ") +
                               convert::counted(sets, "set") + " only");
  return static_cast<std::size_t>(*n);
}

void declare_profile(App& app, ProfileOptions& o) {
  add_set_input_options(app, o.input);
  app.group("Profile");
  constexpr std::int64_t most = 1'000'000;
  app.add_integer("--k", o.k, 1, most, "N", option_text::k);
  app.add_option(
      "--representatives", o.representatives, "auto|N",
      "split the sets into N clusters of similar sets (auto: as many as are distinct); write one profile per "
      "cluster");
  app.group("Output");
  app.add_option("-o,--output", o.output, "PATH", option_text::output);
}

}  // namespace tools
