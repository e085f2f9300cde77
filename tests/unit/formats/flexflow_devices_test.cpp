// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "common/findings.h"
#include "common/replaced.h"
#include "common/scratch.h"
#include "flexflow_sample.h"

namespace convert::test {
namespace {

class Devices : public ::testing::Test {
 protected:
  // Ranks in the outlines; or the error, with "map" for the map's path.
  Outlines outlines_with(const std::string& map, const std::string& text) {
    write(map);
    return outlines(text, options_of({{"devices", map_}}));
  }
  std::string error_with(const std::string& map, const std::string& text) {
    write(map);
    return shortened(error(text, options_of({{"devices", map_}})));
  }
  std::string warnings_with(const std::string& map, const std::string& text) {
    write(map);
    const auto input = memory_input("g.dot", text);
    Diagnostics diagnostics;
    (void)read_all(*input, options_of({{"devices", map_}}), diagnostics);
    return shortened(findings_text(diagnostics));
  }

 private:
  void write(const std::string& map) const { (void)scratch_.write("map", map); }
  [[nodiscard]] std::string shortened(const std::string& s) const { return all_replaced(s, map_, "map"); }
  Scratch scratch_;
  std::string map_ = scratch_.path("map");
};

const std::string& stock() {
  static const std::string text = graph(
      "node0 [label=\"{ a_0 | Forward | { 0 | 1 } }\"]\n"
      "node1 [label=\"{ Comm | { 1 | 2 } }\"]\n"
      "node2 [label=\"{ a_1 | Backward | { 2 | 3 } }\"]\n"
      "node3 [label=\"{ a_2 | Update | { 3 | 4 } }\"]\n"
      "node0 -> node1 -> node2 -> node3");
  return text;
}

TEST_F(Devices, ByNodeByNameAndByPattern) {
  EXPECT_EQ(outlines_with("node0,0\na_*,1\nComm,0,1,8\n", stock()), (Outlines{"c0; S1<c0", "R1; c2<R1; c3<c2"}));
  // The first criterion is the entry of a node, then the order in the file.
  EXPECT_EQ(outlines_with("a_?,1\na_2,0\n*,1,0,8\n0,0\n1,0,1,8\n", stock()),
            (Outlines{"c0; S1<c0", "R1; c2<R1; c3<c2"}));
  EXPECT_EQ(outlines_with("a_2,0\na_?,1\n0,0\nC*,0,1,8\n2,0\n", stock()),
            (Outlines{"c0; S1<c0; c2<S1; c3<c2", "R1"}));
  // Within a rank: a copy.
  EXPECT_EQ(outlines_with("{\"a*\": 0, \"Comm\": [0, 0, \"1KiB\"]}", stock()),
            (Outlines{"c0; c1<c0; c2<c1; c3<c2"}));
}

TEST_F(Devices, UnmatchedTasksAreErrorsAndUnmatchedEntriesWarnings) {
  EXPECT_EQ(error_with("a_0,0\n", stock()),
            "g.dot:3:1: 3 tasks have no entry in map: node1 (Comm), node2 (a_1), node3 (a_2)");
  // A rank is for computations, a pair for Comm tasks.
  EXPECT_EQ(error_with("*,0\n", stock()), "g.dot:3:1: 1 task has no entry in map: node1 (Comm)");
  EXPECT_EQ(warnings_with("a*,0\nb*,0\nnode1,0,1,8\nnode9,1\n", stock()),
            "map:2:1: warning: 'b*' matches no task of g.dot [devices]\n"
            "map:4:1: warning: 'node9' matches no task of g.dot [devices]\n");
  EXPECT_EQ(warnings_with("a*,0\nComm,0,1\n", stock()),
            "map:2:1: warning: 1 transfer has no size in the map; 0 bytes are assumed [devices]\n");
}

TEST_F(Devices, EntriesOfTheWrongKind) {
  EXPECT_EQ(error_with("node1,0\na*,0\n", stock()),
            "map:1:1: node1 (Comm) is a Comm task: the device map must give its source and destination");
  EXPECT_EQ(error_with("Comm,0,1,8\nnode0,0,1\na*,0\n", stock()),
            "map:2:1: node0 (a_0) is a Forward task: the device map must give one rank");
  EXPECT_EQ(error_with("node1,0,1,8\n1,0,1,8\n", stock()), "map:2:1: node1 is repeated; first given in line 1");
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "x" + std::to_string(i) + "*,0\n";
  EXPECT_EQ(error_with(many, stock()), "map:4097:1: more than 4096 patterns");
}

}  // namespace
}  // namespace convert::test
