// SPDX-License-Identifier: MIT
// Recordings of users: damaged JSON, impossible times, unknown process groups. Each folder contains the correct
// result.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "common/expect_error.h"
#include "config/groups.h"
#include "core/world_size.h"
#include "corpus/corpus.h"
#include "formats/kineto/kineto.h"
#include "formats/pytorch/process_groups.h"
#include "formats/pytorch/pytorch.h"
#include "io/input.h"
#include "link_whole.h"
#include "sets/source.h"

namespace {

using namespace convert;

std::string wild(const std::string& file) { return (corpus::root() / "wild" / "pytorch" / file).string(); }

#define REQUIRE_WILD()                                                                               \
  do {                                                                                               \
    if (!std::filesystem::exists(wild(""))) GTEST_SKIP() << "the corpus has no recordings of users"; \
  } while (false)

Profile profile_of(const std::string& file, Diagnostics& diagnostics) {
  return read_kineto(*open_input(wild(file)), diagnostics);
}

LinkedTrace link_rank(const std::string& folder, Rank rank) {
  Diagnostics diagnostics;
  const std::string number = std::to_string(rank);
  Trace host = read_pytorch(*open_input(wild(folder + "/host." + number + ".json")), rank, diagnostics);
  Profile device = profile_of(folder + "/device." + number + ".json", diagnostics);
  const auto groups = process_groups(host, &device);
  if (const std::int64_t world = profiled_world_size(device); world > 0)
    set_world_size(host.metadata, static_cast<Rank>(world));
  return link(std::move(host), std::move(device), groups, {});
}

std::int64_t number_of(const LinkedTrace& l, const Node& n, Name name) {
  return int_value(l.trace.nodes.attributes(n), name).value;
}

// "SEND 4096 30": type, bytes and microseconds of communication nodes, sorted.
std::vector<std::string> communication(const LinkedTrace& l) {
  std::vector<std::string> out;
  for (const Node& n : l.trace.nodes.nodes) {
    if (n.type == NodeType::comp || n.type == NodeType::metadata) continue;
    const std::string type = n.type == NodeType::comm_send   ? "SEND"
                             : n.type == NodeType::comm_recv ? "RECV"
                                                             : "COLL";
    out.push_back(type + " " + std::to_string(number_of(l, n, attr::comm_size)) + " " +
                  std::to_string(n.duration_us));
  }
  std::ranges::sort(out);
  return out;
}

std::uint64_t unmatched(const LinkedTrace& l, Unmatched kind) {
  return l.report.unmatched[static_cast<std::size_t>(kind)];
}

TEST(WildPytorchFilesCorpusTest, BatchesAndCoalescedCallsAreCarriedOutByTheirKernel) {
  REQUIRE_CORPUS();
  REQUIRE_WILD();
  for (const Rank rank : {0U, 1U}) {
    const LinkedTrace batch = link_rank("batch-isend-irecv-coalesced", rank);
    EXPECT_EQ(communication(batch), (std::vector<std::string>{"RECV 4096 30", "SEND 4096 30"}));
    EXPECT_EQ(unmatched(batch, Unmatched::communication_unknown), 0U);
    const LinkedTrace gathers = link_rank("coalesced-allgather-manager", rank);
    EXPECT_EQ(communication(gathers), (std::vector<std::string>{"COLL 2000 50", "COLL 6000 50"}));
  }
}

TEST(WildPytorchFilesCorpusTest, RanksWithinAnUnknownGroupAreNoRanksOfTheWorld) {
  REQUIRE_CORPUS();
  REQUIRE_WILD();
  for (const Rank rank : {0U, 1U, 2U, 3U}) {
    const LinkedTrace l = link_rank("p2p-without-groups", rank);
    const auto& nodes = l.trace.nodes.nodes;
    const auto message = std::ranges::find_if(
        nodes, [](const Node& n) { return n.type == NodeType::comm_send || n.type == NodeType::comm_recv; });
    ASSERT_NE(message, nodes.end());
    EXPECT_EQ(number_of(l, *message, attr::comm_src), rank / 2 * 2);
    EXPECT_EQ(number_of(l, *message, attr::comm_dst), rank / 2 * 2 + 1);
    EXPECT_EQ(unmatched(l, Unmatched::communication_peer_assumed), 1U);
  }
}

TEST(WildPytorchFilesCorpusTest, GroupsOfMetadataNodesAreThoseOfTheSet) {
  REQUIRE_CORPUS();
  REQUIRE_WILD();
  Diagnostics diagnostics;
  TraceSource source({.operands = {wild("chakra-set-without-times/chakra_trace")}, .hash = false}, diagnostics);
  const auto groups = source.groups();
  ASSERT_TRUE(groups);
  std::map<std::int64_t, std::vector<std::uint32_t>> found;
  for (const CommGroup& g : parse_groups(groups->name, groups->json, 4)) found[g.id] = g.ranks;
  found.erase(0);
  const std::map<std::int64_t, std::vector<std::uint32_t>> expected = {
      {22, {0, 1}}, {23, {2, 3}}, {5, {0, 2}}, {6, {1, 3}}};
  EXPECT_EQ(found, expected);
}

TEST(WildPytorchFilesCorpusTest, TimesThatCannotBeCountForNothing) {
  REQUIRE_CORPUS();
  REQUIRE_WILD();
  EXPECT_EQ(link_rank("ts-zero", 0).report.span_ns, 240'000U);
  const LinkedTrace cut = link_rank("overflowing-duration", 0);
  EXPECT_EQ(cut.report.span_ns, 205'000U);
  EXPECT_EQ(unmatched(cut, Unmatched::duration_impossible), 1U);
  EXPECT_EQ(unmatched(cut, Unmatched::stream_overlap), 0U);
}

TEST(WildPytorchFilesCorpusTest, DamagedJsonIsReadWithWarnings) {
  REQUIRE_CORPUS();
  REQUIRE_WILD();
  for (const std::string name : {"control-char", "newline-in-name", "not-utf8", "raw-quotes"}) {
    Diagnostics diagnostics;
    const Profile p = profile_of("json-" + name + "/device.0.json", diagnostics);
    std::int64_t sum = 0;
    for (const Profile::DeviceOp& d : p.device_ops) sum += d.duration_ns;
    EXPECT_EQ(p.device_ops.size(), 2U) << name;
    EXPECT_EQ(sum, 50'000) << name;  // 40 and 10 µs, from 100 to 240 µs
    EXPECT_GE(diagnostics.warnings(), 1U) << name;
  }
  Diagnostics diagnostics;
  const Trace host = read_pytorch(*open_input(wild("host-comma-missing/host.0.json")), 0, diagnostics);
  EXPECT_EQ(host.nodes.nodes.size(), 4U);
  EXPECT_EQ(diagnostics.warnings(), 1U);
}

TEST(WildPytorchFilesCorpusTest, APointerOfGitLfsIsNamed) {
  REQUIRE_CORPUS();
  REQUIRE_WILD();
  for (const std::string name : {"host.0.json", "device.0.json"}) {
    EXPECT_EQ(test::error_message([&] { (void)open_input(wild("lfs-pointer/" + name)); }, Error::Kind::input),
              "is a Git LFS pointer without the content; run git lfs pull");
  }
}

}  // namespace
