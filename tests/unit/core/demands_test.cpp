// SPDX-License-Identifier: MIT
#include "core/algorithm/demands.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/passes/ten_builder.h"

namespace convert {
namespace {

using test::ScheduleMaker;

// "LINE: WHAT; LINE: WHAT": the demands that the chunks do not meet.
std::string missing(const ScheduleMaker& m, Collective collective, bool uneven = true) {
  std::string out;
  for (const DemandFinding& d : missing_demands(m.s, collective, uneven))
    out += (out.empty() ? "" : "; ") + std::to_string(d.line) + ": " + d.what;
  return out;
}

// Every pair of 4 nodes except the omitted ones; node 0 is a relay if there are 5.
ScheduleMaker pairs(std::uint32_t nodes, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& out) {
  ScheduleMaker m(Collective::all_to_all, nodes);
  const std::uint32_t first = nodes - 4;
  if (first == 1) m.s.relays = {0};
  for (std::uint32_t a = first; a < nodes; ++a) {
    for (std::uint32_t b = first; b < nodes; ++b) {
      if (a != b && std::ranges::find(out, std::pair{a, b}) == out.end()) m.chunk({a}, {b});
    }
  }
  return m;
}

TEST(Demands, AnAllToAllGoesFromEachToEach) {
  EXPECT_EQ(missing(pairs(4, {}), Collective::all_to_all), "");
  EXPECT_EQ(missing(pairs(5, {}), Collective::all_to_all), "") << "relays take no part";
  EXPECT_EQ(missing(pairs(4, {{0, 1}}), Collective::all_to_all),
            "0: no chunk goes from node 0 to node 1, which all_to_all requires");
  EXPECT_EQ(missing(pairs(4, {{3, 2}}), Collective::all_to_all),
            "210: no chunk goes from node 3 to node 2, which all_to_all requires");
  EXPECT_EQ(missing(pairs(5, {{2, 1}, {4, 3}}), Collective::all_to_all),
            "202: no chunk goes from node 2 to node 1 (the first of 2 such pairs), which all_to_all requires");
  for (std::uint32_t a = 0; a < 4; ++a) {
    for (std::uint32_t b = 0; b < 4; ++b) {
      if (a == b) continue;
      const std::string wanted = "from node " + std::to_string(a) + " to node " + std::to_string(b) + ", which";
      EXPECT_NE(missing(pairs(4, {{a, b}}), Collective::all_to_all).find(wanted), std::string::npos) << wanted;
    }
  }
  EXPECT_EQ(missing(pairs(4, {}).chunk({0}, {1, 2}), Collective::all_to_all),
            "212: chunk 12 ends at 2 nodes, but a chunk of all_to_all ends at one");
  EXPECT_EQ(missing(pairs(4, {}).chunk({0}, {0, 2}).chunk({1}, {1}), Collective::all_to_all), "")
      << "who has it may keep it";
}

TEST(Demands, ChunksGoToAll) {
  ScheduleMaker m(Collective::all_gather, 3);
  m.chunk({0}, {}).chunk({1}, {0, 2}).chunk({2}, {0, 1, 2});
  EXPECT_EQ(missing(m, Collective::all_gather), "");
  EXPECT_EQ(missing(m.chunk({1}, {0}), Collective::all_gather),
            "203: chunk 3 of node 1 is not demanded at node 2, which all_gather requires");
  EXPECT_EQ(
      missing(m.chunk({0}, {0}), Collective::all_gather),
      "203: chunk 3 of node 1 is not demanded at node 2, which all_gather requires; 204: chunk 4 of node 0 is not "
      "demanded at node 1 and 1 more, which all_gather requires");
  ScheduleMaker uneven(Collective::all_gather, 3);
  uneven.chunk({0}, {}).chunk({2}, {});
  EXPECT_EQ(missing(uneven, Collective::all_gather), "");
  EXPECT_EQ(missing(uneven, Collective::all_gather, false),
            "200: no chunk begins at node 1, which all_gather requires");
}

TEST(Demands, ReductionsTakeFromAll) {
  ScheduleMaker m(Collective::reduce_scatter, 3);
  m.chunk({}, {0}).chunk({}, {1}).chunk({0, 1, 2}, {2});
  EXPECT_EQ(missing(m, Collective::reduce_scatter, false), "");
  EXPECT_EQ(missing(m.chunk({0, 1}, {2}), Collective::reduce_scatter),
            "203: chunk 3 lacks the contribution of node 2, which reduce_scatter requires");
  EXPECT_EQ(missing(m, Collective::custom), "") << "demands nothing";
}

TEST(Demands, ThereIsOneRoot) {
  ScheduleMaker m(Collective::broadcast, 3);
  m.chunk({1}, {}).chunk({1}, {});
  EXPECT_EQ(missing(m, Collective::broadcast), "");
  EXPECT_EQ(missing(m.chunk({2}, {}), Collective::broadcast),
            "202: chunk 2 begins at node 2, other chunks at node 1; broadcast has one root");
  ScheduleMaker gather(Collective::gather, 3);
  gather.chunk({0}, {1}).chunk({2}, {1});
  EXPECT_EQ(missing(gather, Collective::gather, false), "");
}

TEST(Demands, HugeSetsAreCheap) {
  ScheduleMaker m(Collective::all_gather, 1U << 20U);
  for (std::uint32_t c = 0; c < 2000; ++c) m.chunk({c}, {c + 1});
  EXPECT_EQ(missing_demands(m.s, Collective::all_gather, true).size(), 2000U);
}

}  // namespace
}  // namespace convert
