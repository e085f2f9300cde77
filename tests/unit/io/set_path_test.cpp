// SPDX-License-Identifier: MIT
#include "io/set_path.h"

#include "common/scratch.h"
#include "unit/io/packed.h"

namespace convert {
namespace {

using test::Names;
using test::Scratch;

TEST(RankNames, PathAndBack) {
  EXPECT_EQ(rank_path("out/ring", 3), "out/ring.3.et");
  EXPECT_EQ(rank_path("ring", 12, ".gz"), "ring.12.et.gz");
  EXPECT_EQ(rank_of("out/ring.3.et"), 3U);
  EXPECT_EQ(rank_of("ring.0.et.gz"), 0U);
  EXPECT_EQ(rank_of("a.b.4294967295.et.zst"), 4294967295U);
  for (const std::string name :
       {"ring.03.et", "ring.et", "ring.x.et", "ring.3", "ring.3.json", "3.et", ".3.et", "dir/.3.et", ".ring.3.et",
        "ring.-3.et", "ring.4294967296.et", "ring..et", "ring.3.et.xz", "ring.3.et.gz.gz", "ring. 3.et", ""}) {
    EXPECT_EQ(rank_of(name), std::nullopt) << name;
  }
}

TEST(RankNames, ExistingRanks) {
  const Scratch scratch;
  for (const std::string name : {"ring.10.et", "ring.2.et.gz", "ring.0.et", "ring.01.et", "rings.1.et", "ring.x.et",
                                 "ring.groups.json", "a.ring.5.et"}) {
    scratch.write(name, "");
  }
  Names found;
  for (const RankFile& file : existing_ranks(scratch.path("ring"))) {
    found.push_back(std::to_string(file.rank) + " " + file.path);
  }
  EXPECT_EQ(found, (Names{"0 " + scratch.path("ring.0.et"), "2 " + scratch.path("ring.2.et.gz"),
                          "10 " + scratch.path("ring.10.et")}));
  EXPECT_TRUE(existing_ranks(scratch.path("none/ring")).empty());
}

// PARAM names the files of ranks by number alone.
TEST(RankNames, NumbersAlone) {
  EXPECT_EQ(numbered_path("out/", 3), "out/3.json");
  EXPECT_EQ(numbered_path("", 12, ".gz"), "12.json.gz");
  EXPECT_EQ(numbered_rank("out/3.json"), 3U);
  EXPECT_EQ(numbered_rank("0.json.zst"), 0U);
  for (const std::string name :
       {"03.json", "3.et", "w.3.json", ".json", "3.jsonl", "-3.json", "4294967296.json", ""})
    EXPECT_EQ(numbered_rank(name), std::nullopt) << name;
  const Scratch scratch;
  for (const std::string name : {"10.json", "2.json.gz", "0.json", "01.json", "w.1.json", "ring.0.et"})
    scratch.write(name, "");
  Names found;
  NearRanks near;
  for (const RankFile& file : numbered_files(scratch.path() + "/", &near)) found.push_back(file.path);
  EXPECT_EQ(found, (Names{scratch.path("0.json"), scratch.path("2.json.gz"), scratch.path("10.json")}));
  EXPECT_EQ(near.names, (Names{scratch.path("01.json")}));
}

}  // namespace
}  // namespace convert
