// SPDX-License-Identifier: MIT
// Helpers for fuzz targets of trace formats: read everything, write it, and read it again.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "formats/format.h"
#include "recode.h"

namespace convert::fuzzing {

// All ranks, as a set even if there is only one.
inline std::string recode(std::string_view bytes, const char* from, const char* to, std::size_t batch) {
  return test::recode(bytes, from, to, batch, true);
}

inline void check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

// The tested code may reject its input, but only with an Error about the input.
template <typename Action>
void may_refuse(const Action& action) {
  try {
    action();
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::input || e.where().file.empty()) std::fprintf(stderr, "%s\n", e.what());
    check(e.kind() == Error::Kind::input, "an error that is not about the input");
    check(!e.where().file.empty(), "an error without its place");
  }
}

// Valid input of `format` is unchanged after writing and reading; invalid input throws Error(input).
inline void check_round_trip(std::string_view bytes, const char* format) {
  for (const Format* f : all_formats()) {
    if (f->sniff != nullptr) (void)f->sniff(bytes.substr(0, 4096));
  }
  std::string once;
  try {
    once = recode(bytes, format, format, 100);
  } catch (const Error& e) {
    check(e.kind() == Error::Kind::input, "an error that is not about the input");
    check(!e.where().file.empty(), "an error without its place");
    return;
  }
  check(recode(once, format, format, 1) == once, "what was written reads back differently");
}

}  // namespace convert::fuzzing
