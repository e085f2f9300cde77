// SPDX-License-Identifier: MIT
// What the fuzz targets of trace formats share: read everything, write it, and read that again.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "formats/format.h"

namespace convert::fuzzing {

inline std::string recode(std::string_view bytes, const char* from, const char* to, std::size_t batch) {
  const auto input = memory_input("fuzz", bytes);
  const FormatOptions options;
  Diagnostics diagnostics;
  const auto reader = find_format(from).read({*input, std::nullopt, options, diagnostics});
  const auto writer = find_format(to).write(options);
  std::string out;
  Trace trace;
  writer->begin_set(true, out);
  for (std::size_t ordinal = 0; reader->next_rank(trace); ++ordinal) {
    writer->begin_rank(trace, ordinal, true, out);
    while (reader->next_nodes(trace, batch)) writer->nodes(trace, out);
    writer->end_rank(out);
  }
  writer->end_set(true, out);
  return out;
}

inline void check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

// Input that `format` reads must come back unchanged from what it writes; input that it does not is an
// Error(input).
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
