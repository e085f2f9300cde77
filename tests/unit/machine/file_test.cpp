// SPDX-License-Identifier: MIT
#include "machine/file.h"

#include <gtest/gtest.h>

#include <string>

#include "common/error_text.h"
#include "machine/constants.h"

namespace convert {
namespace {

const std::string small = "machine: small\nnode:\n  gpus: 4\n  port: 100GB/s\n";

Machine parse_small(const std::string& more, const std::string& table = "") {
  return parse_machine("m.yml", small + more, [&](const std::string& named, bool) -> MachineText {
    return {named, table, {}};
  });
}
std::string refusal(const std::string& more, const std::string& table = "") {
  return test::error_text([&] { (void)parse_small(more, table); });
}

TEST(MachineFile, UnitsAndDefaults) {
  const Machine m = parse_small("library: { launch: 9us, ring: { LL: [0.9us, 0.3] }, copy: 800GB/s }\n");
  EXPECT_EQ(m.name, "small");
  EXPECT_EQ(m.node.gpus, 4U);
  EXPECT_EQ(m.node.port_bytes_per_ns, 100);
  EXPECT_FALSE(m.node.mesh);
  EXPECT_FALSE(m.fabric);
  EXPECT_TRUE(m.has_library);
  EXPECT_EQ(m.library.launch_ns, 9'000);
  EXPECT_EQ(m.library.ring.LL.step_ns, 900);
  EXPECT_EQ(m.library.ring.LL.share, 0.3);
  EXPECT_EQ(m.library.ring.LL128.step_ns, LibraryCosts{}.ring.LL128.step_ns);
  EXPECT_EQ(m.library.copy_bytes_per_ns, 800);
  EXPECT_FALSE(m.library.nvls);
  EXPECT_FALSE(parse_small("library: { nvls: { channels: 24 } }\n").has_library);
}

TEST(MachineFile, ExtendsAnother) {
  // The table of the base is in the base's folder.
  const MachineFiles of_base = [](const std::string& named, bool is_table) -> MachineText {
    EXPECT_TRUE(is_table);
    return {"folder/" + named, "collective,ranks,nodes,bytes,us\nall_reduce,4,1,8,5\n", {}};
  };
  const Machine m =
      parse_machine("m.yml", "machine: mine\nextends: base\nlibrary: { copy: 900GB/s }\n",
                    [&](const std::string& named, bool is_table) -> MachineText {
                      EXPECT_FALSE(is_table);
                      return {named, small + "library: { launch: 9us }\ntables: [ t.csv ]\n", of_base};
                    });
  EXPECT_EQ(m.name, "mine");
  EXPECT_EQ(m.node.gpus, 4U);
  EXPECT_EQ(m.library.launch_ns, 9'000);
  EXPECT_EQ(m.library.copy_bytes_per_ns, 900);
  EXPECT_EQ(m.measured.size(), 1U);
  const MachineFiles itself = [&itself](const std::string& named, bool) -> MachineText {
    return {named, "machine: a\nextends: a\n", itself};
  };
  EXPECT_EQ(test::error_text([&] { (void)parse_machine("a", "machine: a\nextends: a\n", itself); }),
            "a: more than 8 files extend each other");
}

TEST(MachineFile, ColonsInAbout) {
  const Machine m = parse_small("about: AWS: 8 GPUs, 'new' # no comment\n");
  EXPECT_EQ(m.about, "AWS: 8 GPUs, 'new' # no comment");
  EXPECT_EQ(parse_small("about: \"a: b\"\n").about, "a: b");
}

TEST(MachineFile, Refusals) {
  EXPECT_EQ(refusal("library: { ring: { LL: [0.9, 0.3] } }\n"),
            "m.yml:5:25: ring.LL requires a time with a unit, such as 1.5us, not '0.9'");
  EXPECT_EQ(refusal("library: { ring: { LL: 0.9us } }\n"),
            "m.yml:5:24: ring.LL requires [TIME, SHARE], such as [0.9us, 0.3], not '0.9us'");
  EXPECT_EQ(refusal("library: { ring: { LL: [0.9us, 3] } }\n"),
            "m.yml:5:32: ring.LL requires a number from 0.02 to 1, not '3'");
  EXPECT_EQ(refusal("library: { launch: 1s }\n"), "m.yml:5:20: launch requires 2 µs to 400 µs, not '1s'");
  EXPECT_EQ(refusal("library: { lunch: 9us }\n"), "m.yml:5:12: unknown key 'lunch'; did you mean launch?");
  EXPECT_EQ(refusal("network: { adapters: 2 }\n"), "m.yml:5:10: network requires the key bandwidth");
  EXPECT_EQ(refusal("network: { adapters: 2, bandwidth: 5GB/s, leaf: 4 }\n"),
            "m.yml:5:10: leaf requires over, the factor of the bandwidth");
  EXPECT_EQ(
      refusal("accuracy: { sizes: [1, 2] }\n"),
      "m.yml:5:20: accuracy.sizes requires three errors in percent (below 1 MiB, below 64 MiB, larger), such as "
      "[10, 6, 3]");
  const auto nothing = [](const std::string& named, bool) -> MachineText { return {named, "", {}}; };
  EXPECT_EQ(test::error_text([&] { (void)parse_machine("m", "machine: m\n", nothing); }), "m: key node is missing");
  EXPECT_EQ(test::error_text([&] { (void)parse_machine("m", "machine: a/b\n", nothing); }),
            "m:1:10: machine requires a name of letters, digits, '-', '.' and '_', not 'a/b'");
}

TEST(MachineFile, Tables) {
  const std::string header = "collective,ranks,nodes,bytes,us\n";
  const Machine m = parse_small("tables: [ t.csv ]\n", header + "all_reduce,4,1,1024,12.5\r\n\nsend,2,1,64,3\n");
  ASSERT_EQ(m.measured.size(), 2U);
  EXPECT_EQ(m.measured[0].time_ns, 12'500);
  EXPECT_EQ(m.measured[1].collective, Collective::send);
  const auto row = [&](const std::string& text) { return refusal("tables: t.csv\n", header + text + "\n"); };
  EXPECT_EQ(row("all_reduce,4,1,1024,-1"), "t.csv:2: us is not a positive time: \"-1\"");
  EXPECT_EQ(row("all_reduce,4,1,1024,nan"), "t.csv:2: us is not a positive time: \"nan\"");
  EXPECT_EQ(row("all_reduce,4,0,1024,1"), "t.csv:2: nodes is not a whole number from 1 to 16777216: \"0\"");
  EXPECT_EQ(row("all_reduce,4,1"), "t.csv:2: column us is missing");
  EXPECT_EQ(row("sort,4,1,1024,1"), "t.csv:2: unknown collective: \"sort\"");
  EXPECT_EQ(row("all_reduce,1,1,1024,1"), "t.csv:2: a call requires at least 2 ranks, and a rank on each node");
  EXPECT_EQ(refusal("tables: t.csv\n", "collective,ranks\n"),
            "t.csv:1: column nodes is missing; the header is collective,ranks,nodes,bytes,us");
}

TEST(MachineFile, IsTold) {
  EXPECT_TRUE(is_machine_text("# mine\nmachine: a\n"));
  EXPECT_TRUE(is_machine_text("extends: a\n"));
  EXPECT_FALSE(is_machine_text("topology: [ Ring ]\n"));
  EXPECT_FALSE(is_machine_text("machine\n"));
  EXPECT_FALSE(is_machine_text(""));
}

// Defaults lie within the bounds of their constants.
TEST(LibraryConstants, DefaultsAreWithinBounds) {
  LibraryCosts costs;
  costs.nvls.emplace();
  for (const LibraryConstant& c : library_constants()) {
    EXPECT_GE(c.of(costs), c.low) << c.name();
    EXPECT_LE(c.of(costs), c.high) << c.name();
  }
}

}  // namespace
}  // namespace convert
