// SPDX-License-Identifier: MIT
// Merge maps, and rules of the command line.
#include <cstdint>
#include <string>
#include <string_view>

#include "config/collective_rules.h"
#include "core/diagnostic.h"
#include "fuzzer.h"
#include "trace_fuzzing.h"

FUZZER(merge_map) {
  using namespace convert;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto sound = [](const CollectiveRule& rule) {
    fuzzing::check(!rule.algorithm.empty(), "a rule without an algorithm");
    fuzzing::check(rule.which.min_bytes < rule.which.end_bytes, "a rule that no size fits");
    (void)rule.which.fits(Collective::all_reduce, "0", 4096, 7, "a name of some node");
  };
  fuzzing::may_refuse([&] {
    for (const CollectiveRule& rule : parse_rule_map("fuzz.yml", text)) sound(rule);
  });
  try {
    sound(parse_collective_rule(std::string(text)));
  } catch (const Error& e) {
    fuzzing::check(e.kind() == Error::Kind::usage, "an error that is not about the option");
  }
  return 0;
}
