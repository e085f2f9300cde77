// SPDX-License-Identifier: MIT
// A communication trace of PARAM: its conversion is written, and reads back as the same text.
#include <cstdint>
#include <memory>
#include <string>

#include "core/world_size.h"
#include "formats/param/draft.h"
#include "formats/param/import.h"
#include "fuzzer.h"
#include "io/input.h"
#include "trace_fuzzing.h"

namespace convert::fuzzing {
namespace {

// Returns the text written from a rank's text.
std::string rewritten(std::string_view text) {
  Diagnostics diagnostics;
  const auto input = memory_input("x", text);
  const ParamRank read = import_param(read_param_file(*input, diagnostics), 0, std::nullopt, diagnostics);
  WrittenSetFacts facts{.ranks = world_size(read.trace.metadata).value_or(1)};
  if (facts.ranks > 1000) throw input_error({.file = "x"}, "more ranks than are of use here");
  for (const ProcessGroup& g : read.groups) facts.groups.push_back({std::stoll(g.name), g.ranks});
  std::string out;
  write_param(*draft_param(read.trace, {}, {}), facts, out);
  return out;
}

}  // namespace
}  // namespace convert::fuzzing

FUZZER(param) {
  using namespace convert::fuzzing;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)convert::find_format("param").sniff(bytes.substr(0, 4096));
  std::string once;
  may_refuse([&] { once = rewritten(bytes); });
  if (!once.empty()) check(rewritten(once) == once, "what was written reads back differently");
  return 0;
}
