// SPDX-License-Identifier: MIT
// Sets with values that occur once, and pairs that differ in data that replays do not read.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "analyze/diff/difference.h"
#include "corpus.h"
#include "profile/json/json.h"
#include "sets/anonymized/anonymizing.h"
#include "sets/profiled/learning.h"
#include "sets/source.h"

namespace convert {
namespace {

std::string path_of(const std::string& name) { return (corpus::root() / "wild" / "attack" / name).string(); }

WorkloadProfile profile_of(const std::string& name) {
  Diagnostics diagnostics;
  TraceSource source({.operands = {path_of(name)}}, diagnostics);
  SetSource* const one = &source;
  return learn_profile({&one, 1}, {.k = 5}, diagnostics).profile;
}

TEST(PrivacyCorpus, ProfilesHaveNoLanesAndGroupsThatOccurOnce) {
  REQUIRE_CORPUS();
  const WorkloadProfile lanes = profile_of("profile-rare-lanes/in.jsonl");
  for (const NodeLane& lane : lanes.lanes) EXPECT_LT(lane.number, 10);
  const std::string json = profile_json(lanes);
  for (const char* number : {"74203117", "1888213"}) EXPECT_EQ(json.find(number), std::string::npos) << number;
  for (const ProfileJob& job : profile_of("profile-rare-group/in.jsonl").jobs) EXPECT_TRUE(job.groups.empty());
}

TEST(PrivacyCorpus, ProfilesWithUnknownTypesAreRefused) {
  REQUIRE_CORPUS();
  std::ifstream in(path_of("synthesize-invalid-type/in.json"));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THROW((void)parse_profile(text, "in.json"), Error);
}

std::vector<Trace> load(const std::string& name) {
  Diagnostics diagnostics;
  TraceSource source({.operands = {path_of(name)}}, diagnostics);
  return source.load(1);
}

TEST(PrivacyCorpus, AllPartsOfTracesAreCompared) {
  REQUIRE_CORPUS();
  const std::vector<Trace> a = load("diff-not-compared/a.jsonl");
  EXPECT_TRUE(compare_traces(a[0], a[0], {}).same());
  for (const char* other : {"dangling", "kind", "unknown", "version"}) {
    const std::vector<Trace> b = load(std::string("diff-not-compared/") + other + ".jsonl");
    EXPECT_FALSE(compare_traces(a[0], b[0], {}).same()) << other;
  }
}

TEST(PrivacyCorpus, SizesOfFewNodesDoNotSurvive) {
  REQUIRE_CORPUS();
  const KeyedHash hash = [](std::string_view bytes) {
    return std::array<std::uint8_t, 32>{static_cast<std::uint8_t>(bytes.size())};
  };
  for (const char* name : {"in", "tensors"}) {
    Diagnostics diagnostics;
    TraceSource source({.operands = {path_of(std::string("anonymize-k-bytes-out/") + name + ".jsonl")}},
                       diagnostics);
    ASSERT_TRUE(source.prepare(false));
    KeptSet kept(source, 1);
    AnonymizedSet hidden(kept, {.least_uses = 8}, hash, 1);
    for (const Trace& trace : hidden.load(1)) {
      for (const Attr& a : trace.nodes.attrs) {
        for (const std::uint64_t secret : {2'800'010U, 600'007U, 500'009U})
          EXPECT_FALSE(is_integer(a.kind) && a.bits == secret) << name << " " << a.name.view();
        if (a.kind != Kind::string_list) continue;
        for (const Text t : trace.nodes.string_list(a)) EXPECT_NE(trace.nodes.view(t), "500009");
      }
    }
  }
}

TEST(PrivacyCorpus, ALinkInPlaceOfGroupsIsRefused) { EXPECT_THROW((void)load("tar-linked-groups/x.tar"), Error); }

}  // namespace
}  // namespace convert
