// SPDX-License-Identifier: MIT
#include "scenario/sweep_table.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/expect_error.h"
#include "common/scratch.h"

namespace convert {
namespace {

using Cells = std::vector<std::string>;
using test::Scratch;
using test::text_of;
using test::thrown_error;

TEST(Csv, CellsAndLines) {
  EXPECT_EQ(csv_cell("a b"), "a b");
  EXPECT_EQ(csv_cell("a,\"b\"\nc"), "\"a,\"\"b\"\" c\"");
  EXPECT_EQ(csv_cell(" a"), "\" a\"");
  EXPECT_EQ(parse_csv_line("a,,\"b,\"\"c\"\"\",d"), (Cells{"a", "", "b,\"c\"", "d"}));
  EXPECT_EQ(parse_csv_line("a,"), (Cells{"a", ""}));
  EXPECT_EQ(parse_csv_line(""), Cells{""});
  EXPECT_EQ(parse_csv_line("a,\"b"), std::nullopt);
  EXPECT_EQ(parse_csv_line("\"b\"c"), std::nullopt);
  for (const std::string text : {"", "plain", "a,b", "\"", "say \"x\",", " "})
    EXPECT_EQ(parse_csv_line(csv_cell(text) + "," + csv_cell(text)), (Cells{text, text})) << text;
}

TEST(SweepTable, GrowsAndEndsInOrder) {
  const Scratch scratch;
  const std::string path = scratch.path("t.csv");
  SweepTable table(path, {"k", "v"}, {"id0", "id1", "id2"}, false);
  EXPECT_EQ(scratch.read("t.csv"), "run,k,v\n");
  table.put(2, {"c", "3"});
  table.put(0, {"a,b", "1"});
  EXPECT_EQ(scratch.read("t.csv"), "run,k,v\nid2,c,3\nid0,\"a,b\",1\n");
  table.put(1, {"b", "2"});
  table.add_column("w", {"x", "", "z"});
  table.finish();
  EXPECT_EQ(scratch.read("t.csv"), "run,k,v,w\nid0,\"a,b\",1,x\nid1,b,2,\nid2,c,3,z\n");
  EXPECT_EQ(scratch.names(), Cells{"t.csv"});
}

TEST(SweepTable, TakesUpWhatIsThere) {
  const Scratch scratch;
  // With an added column, a run that is present twice, and a truncated line.
  const std::string path = scratch.write("t.csv", "run,k,v,w\nid2,c,3,z\nid0,a,error,\nid0,a,1\nid1,b");
  SweepTable table(path, {"k", "v"}, {"id0", "id1", "id2"}, false);
  EXPECT_EQ(table.taken_up(), 2U);
  EXPECT_EQ(table.cells(0), (Cells{"a", "1"}));
  EXPECT_EQ(table.cells(1), Cells{});
  EXPECT_EQ(table.cells(2), (Cells{"c", "3"}));
  table.put(1, {"b", "2"});
  EXPECT_EQ(scratch.read("t.csv"), "run,k,v,w\nid2,c,3,z\nid0,a,error,\nid0,a,1\nid1,b,2\n");
  table.finish();
  EXPECT_EQ(scratch.read("t.csv"), "run,k,v\nid0,a,1\nid1,b,2\nid2,c,3\n");
}

TEST(SweepTable, CutOffInItsFirstLine) {
  const Scratch scratch;
  for (const std::string start : {"", "run", "run,k,v"}) {
    const std::string path = scratch.write("t.csv", start);
    const SweepTable table(path, {"k", "v"}, {"id0"}, false);
    EXPECT_EQ(scratch.read("t.csv"), "run,k,v\n");
  }
}

TEST(SweepTable, RefusesTheTableOfAnotherSweep) {
  const Scratch scratch;
  const auto refused = [&](const std::string& text) {
    const std::string path = scratch.write("t.csv", text);
    const std::string message = text_of(thrown_error([&] {
      const SweepTable table(path, {"k", "v"}, {"id0"}, false);
    }));
    EXPECT_EQ(scratch.read("t.csv"), text);
    const SweepTable forced(path, {"k", "v"}, {"id0"}, true);
    EXPECT_EQ(scratch.read("t.csv"), "run,k,v\n");
    return message.substr(scratch.path().size() + 1);
  };
  const std::string advice = "; name another file, or start again with --restart";
  EXPECT_EQ(refused("notes"), "t.csv: not the table of this sweep" + advice);
  EXPECT_EQ(refused("run,k\nid0,a\n"), "t.csv:1: the table of another sweep, with other columns" + advice);
  EXPECT_EQ(refused("run,k,v\nid0,a,1\nid9,a,1\n"),
            "t.csv:3: a row of another sweep: settings, files or traces differ" + advice);
  EXPECT_NE(refused("run,k,v\nid0,a\n"), "");
  EXPECT_NE(refused("run,k,v\nid0,a,1,2,3\n"), "");
}

TEST(SweepTable, OneWriterAtATime) {
  const Scratch scratch;
  const SweepTable first(scratch.path("t.csv"), {"k"}, {"id0"}, false);
  const Error e = thrown_error([&] { const SweepTable second(scratch.path("t.csv"), {"k"}, {"id0"}, true); });
  EXPECT_EQ(e.kind(), Error::Kind::usage);
  EXPECT_EQ(std::string(e.what()),
            scratch.path("t.csv") + ": another sweep is writing this table; name another file");
  EXPECT_EQ(thrown_error([&] { const SweepTable t(scratch.path("t.csv.gz"), {"k"}, {"id0"}, true); }).kind(),
            Error::Kind::usage);
}

}  // namespace
}  // namespace convert
