// SPDX-License-Identifier: MIT
// Profiles, one or more in a text: a valid profile is written again unchanged, and a sampled rank depends only on
// earlier nodes.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzzer.h"
#include "profile/draw/mixture.h"
#include "profile/draw/synthesis.h"
#include "profile/json/json.h"
#include "trace_fuzzing.h"

namespace {

// Returns whether a rank is small enough to be sampled repeatedly.
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
    const std::vector<WorkloadProfile> profiles = parse_profiles(text, "fuzz.json");
    std::string written;
    for (const WorkloadProfile& p : profiles) written += profile_json(p);
    std::string again;
    for (const WorkloadProfile& p : parse_profiles(written, "again.json")) again += profile_json(p);
    fuzzing::check(again == written, "profiles that read back as others");
    const WorkloadProfile& profile = profiles[draw_profile(profiles, size)];
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
