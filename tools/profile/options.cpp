// SPDX-License-Identifier: MIT
#include "profile/options.h"

namespace tools {

std::uint32_t ProfileOptions::least(std::size_t sets) const {
  constexpr std::uint32_t of_one = 2, of_many = 5;
  return k ? static_cast<std::uint32_t>(*k) : sets > 1 ? of_many : of_one;
}

void declare_profile(App& app, ProfileOptions& o) {
  add_input_options(app, o.input);
  app.group("Profile");
  constexpr std::int64_t most = 1'000'000;
  app.add_integer("--k", o.k, 1, most, "N",
                  "tell nothing that occurs fewer than N times (default: 2; 5 of several sets)");
  app.group("Output");
  app.add_option("-o,--output", o.output, "FILE", "file to write (default: -, stdout)");
}

}  // namespace tools
