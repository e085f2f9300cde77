// SPDX-License-Identifier: MIT
// Profiles: what can be read is written the same again, and a rank that is drawn of it waits for earlier nodes
// only.
#include <cstdint>
#include <string_view>

#include "fuzzer.h"
#include "profile/draw/synthesis.h"
#include "profile/json/json.h"
#include "trace_fuzzing.h"

namespace {

// Returns whether a rank is small enough to be drawn again and again.
bool is_small(const convert::WorkloadProfile& p) {
  constexpr std::size_t most = 1 << 12;
  std::uint64_t nodes = 0;
  const convert::Grammar grammar(static_cast<std::uint32_t>(p.tokens.size()), p.rules);
  for (const auto& rest : p.rest) {
    for (const convert::LoosePiece& l : rest) nodes += l.count * grammar.length(l.symbol);
  }
  for (const convert::ProfilePlace& place : p.places) {
    for (const auto& s : place.segments) nodes += s.symbol == convert::no_index ? 0 : grammar.length(s.symbol);
    for (const convert::LoosePiece& l : place.loose) nodes += l.count * grammar.length(l.symbol);
  }
  for (const convert::ProfileScript& s : p.scripts) nodes += s.steps.size();
  std::uint64_t units = 0;
  for (const convert::ProfileJob& job : p.jobs) {
    for (const auto& unit : job.units) units += unit.count;
  }
  return nodes < most && units < 16 && p.pools.size() < most && p.places.size() < most;
}

}  // namespace

FUZZER(profile) {
  using namespace convert;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzzing::may_refuse([&] {
    const WorkloadProfile profile = parse_profile(text, "fuzz.json");
    const std::string written = profile_json(profile);
    fuzzing::check(profile_json(parse_profile(written, "again.json")) == written,
                   "a profile that reads back as another");
    if (!is_small(profile)) return;
    const Synthesis synthesis(profile, {.seed = size, .iterations = 2});
    const Trace trace = synthesis.draw(size % synthesis.ranks());
    for (const Node& n : trace.nodes.nodes) {
      for (const NodeId d : trace.nodes.data_deps(n)) fuzzing::check(d < n.id, "a node that waits for a later one");
      for (const NodeId d : trace.nodes.ctrl_deps(n)) fuzzing::check(d < n.id, "a node that waits for a later one");
    }
  });
  return 0;
}
