// SPDX-License-Identifier: MIT
#include "io/input_set.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "common/expect_error.h"
#include "common/scratch.h"
#include "core/diagnostic.h"
#include "io/archive.h"
#include "unit/io/packed.h"

namespace convert {
namespace {

using test::Names;
using test::packed;
using test::Scratch;
using test::text_of;
using test::thrown_error;

// "NAME rank=R TEXT" of every stream.
Names streams_of(InputSet& set) {
  Names names;
  while (std::optional<InputItem> item = set.next()) {
    names.push_back(item->input->name() + " rank=" + (item->rank ? std::to_string(*item->rank) : "none") + " " +
                    item->input->read_rest());
  }
  return names;
}
Names streams_of(std::vector<std::string> operands) {
  InputSet set(std::move(operands));
  return streams_of(set);
}

std::string tar_of_names(const Names& members) {
  std::string to;
  const auto output = memory_output(to);
  TarWriter writer(*output);
  for (const std::string& name : members) writer.add(name, "<" + name + ">");
  writer.close();
  return to;
}

std::optional<std::string> groups_of(const InputSet& set) {
  if (const auto& groups = set.groups()) return groups->json;
  return std::nullopt;
}

TEST(InputSet, Files) {
  const Scratch scratch;
  const std::string a = scratch.write("a.xml", "one");
  const std::string b = scratch.write("ring.3.et.gz", packed("two", Compression::gzip));
  InputSet set({a, b});
  ASSERT_EQ(set.files().size(), 2U);
  EXPECT_EQ(set.files()[0].path, a);
  EXPECT_EQ(set.files()[1].rank, 3U);
  EXPECT_EQ(set.base_name(), "a");
  EXPECT_EQ(groups_of(set), std::nullopt);
  EXPECT_EQ(streams_of(set), (Names{a + " rank=none one", b + " rank=3 two"}));
  EXPECT_TRUE(streams_of(Names{}).empty());
}

TEST(InputSet, Prefix) {
  const Scratch scratch;
  scratch.write("ring.1.et", "one");
  scratch.write("ring.0.et", "zero");
  scratch.write("ring.groups.json", "{\"0\":[0,1]}");
  InputSet set({scratch.path("ring")});
  EXPECT_EQ(set.base_name(), "ring");
  EXPECT_EQ(set.files().size(), 2U);
  EXPECT_EQ(groups_of(set), "{\"0\":[0,1]}");
  EXPECT_EQ(streams_of(set),
            (Names{scratch.path("ring.0.et") + " rank=0 zero", scratch.path("ring.1.et") + " rank=1 one"}));
  scratch.write("ring", "a file wins");
  EXPECT_EQ(streams_of({scratch.path("ring")}), (Names{scratch.path("ring") + " rank=none a file wins"}));
}

TEST(InputSet, ElevenRanksComeInNumericalOrder) {
  const Scratch scratch;
  for (int r = 0; r < 11; ++r) scratch.write("ring." + std::to_string(r) + ".et", "");
  InputSet set({scratch.path("ring")});
  for (std::uint32_t r = 0; r < 11; ++r) EXPECT_EQ(set.next()->rank, r);
}

TEST(InputSet, GapsAndDoubles) {
  const Scratch scratch;
  scratch.write("ring.0.et", "");
  scratch.write("ring.1.et", "");
  scratch.write("ring.3.et", "");
  const Error gap = thrown_error([&] { InputSet set({scratch.path("ring")}); });
  EXPECT_EQ(gap.kind(), Error::Kind::input);
  EXPECT_EQ(text_of(gap), scratch.path("ring.2.et") + ": missing from the set, whose last rank is 3");
  EXPECT_EQ(text_of(thrown_error([&] { InputSet set({scratch.path()}); })), text_of(gap));
  scratch.write("ring.classes.json", "{}");
  EXPECT_EQ(text_of(thrown_error([&] { InputSet set({scratch.path("ring")}); })),
            text_of(gap) + "; " + scratch.path("ring.classes.json") +
                " lists the ranks that each represents: it is a folded set");
  scratch.write("ring.2.et", "");
  scratch.write("ring.1.et.gz", "");
  const Error twice = thrown_error([&] { InputSet set({scratch.path("ring")}); });
  EXPECT_EQ(twice.kind(), Error::Kind::input);
  EXPECT_EQ(text_of(twice), scratch.path("ring.1.et.gz") + ": rank 1 is also in " + scratch.path("ring.1.et"));
}

TEST(InputSet, Directory) {
  const Scratch scratch;
  const Error empty = thrown_error([&] { InputSet set({scratch.path()}); });
  EXPECT_EQ(empty.kind(), Error::Kind::input);
  EXPECT_EQ(text_of(empty), scratch.path() + ": contains no trace set (NAME.0.et …, or NAME.etm)");
  scratch.write("ring.0.et", "zero");
  scratch.write("notes.txt", "");
  scratch.write("ring.groups.json", "{}");
  for (const std::string& operand : {scratch.path(), scratch.path() + "/"}) {
    InputSet set({operand});
    EXPECT_EQ(set.base_name(), "ring");
    EXPECT_EQ(groups_of(set), "{}");
    EXPECT_EQ(streams_of(set), (Names{scratch.path("ring.0.et") + " rank=0 zero"}));
  }
  scratch.write("other.0.et", "");
  const Error two = thrown_error([&] { InputSet set({scratch.path()}); });
  EXPECT_EQ(two.kind(), Error::Kind::input);
  EXPECT_EQ(text_of(two), scratch.path() + ": contains several trace sets; name one: " + scratch.path("other") +
                              ", " + scratch.path("ring"));
}

TEST(InputSet, DirectoryOfAMasterTrace) {
  const Scratch scratch;
  scratch.write("ring.etm.zst", packed("all", Compression::zstd));
  scratch.write(".hidden.etm", "");
  InputSet set({scratch.path()});
  EXPECT_EQ(set.base_name(), "ring");
  EXPECT_EQ(streams_of(set), (Names{scratch.path() + "/ring.etm.zst rank=none all"}));
  scratch.write("b.etm", "");
  EXPECT_EQ(text_of(thrown_error([&] { InputSet two({scratch.path()}); })),
            scratch.path() + ": contains several trace sets; name one: " + scratch.path("b.etm") + ", " +
                scratch.path("ring.etm.zst"));
  scratch.write("ring.0.et", "ranks win");
  EXPECT_EQ(streams_of({scratch.path()}), (Names{scratch.path("ring.0.et") + " rank=0 ranks win"}));
}

TEST(InputSet, TarOfAMasterTrace) {
  const Scratch scratch;
  const auto streams_with = [&](const Names& members) {
    return streams_of({scratch.write("t.tar", tar_of_names(members))});
  };
  EXPECT_EQ(streams_with({"notes", "d/ring.etm", "ring.groups.json"}),
            (Names{scratch.path("t.tar(d/ring.etm)") + " rank=none <d/ring.etm>"}));
  for (const Names& members : {Names{"a.etm", "b.etm"}, Names{"a.etm", "ring.0.et"}})
    EXPECT_EQ(text_of(thrown_error([&] { (void)streams_with(members); })),
              scratch.path("t.tar(" + members[1] + ")") +
                  ": the archive contains a second trace set in addition to a.etm");
  EXPECT_EQ(streams_with({"ring.0.et", "a.etm"}),
            (Names{scratch.path("t.tar(ring.0.et)") + " rank=0 <ring.0.et>"}));
}

TEST(InputSet, Missing) {
  const Scratch scratch;
  const Error error = thrown_error([&] { InputSet set({scratch.path("ring")}); });
  EXPECT_EQ(error.kind(), Error::Kind::system);
  EXPECT_EQ(text_of(error),
            scratch.path("ring") + ": no such file, directory or trace set (" + scratch.path("ring.0.et") + " …)");
  EXPECT_EQ(thrown_error([] { InputSet set({"-", "a", "-"}); }).kind(), Error::Kind::usage);
}

TEST(InputSet, TarInAnyOrder) {
  const Scratch scratch;
  for (const Compression compression : {Compression::none, Compression::gzip, Compression::zstd}) {
    const std::string path = scratch.write(
        "in.tar", packed(tar_of_names({"./notes", "./ring.2.et", "./ring.0.et", "./._ring.1.et", "./ring.1.et"}),
                         compression));
    InputSet set({path});
    EXPECT_TRUE(set.files().empty());
    EXPECT_EQ(set.base_name(), "in");
    EXPECT_EQ(streams_of(set),
              (Names{path + "(./ring.2.et) rank=2 <./ring.2.et>", path + "(./ring.0.et) rank=0 <./ring.0.et>",
                     path + "(./ring.1.et) rank=1 <./ring.1.et>"}));
    EXPECT_EQ(set.skipped(), (Names{path + "(./notes)", path + "(./._ring.1.et)"}));
    EXPECT_EQ(groups_of(set), std::nullopt);
  }
}

TEST(InputSet, FilesThatAreNearlyRanksAreTold) {
  const Scratch scratch;
  const Names odd = {"r.-1.et", "r.07.et", "r.1.et.gz", "r.18446744073709551617.et.zst", "r.+1.et"};
  const Names others = {"r.x.et", "r.1x.et", "r.et", ".r.01.et", "r.01.etx", "r..et", "r.0x1.et"};
  for (const std::string& name : odd) scratch.write(name, "");
  for (const std::string& name : others) scratch.write(name, "");
  scratch.write("r.0.et", "");
  scratch.write("s.00.et", "");
  const std::string at = scratch.path() + "/";
  const std::string why = " not read: a rank is a number from 0 to 4294967295, without leading zeros or a sign";
  const std::string list =
      at + "r.+1.et, " + at + "r.-1.et, " + at + "r.07.et, " + at + "r.18446744073709551617.et.zst";
  EXPECT_EQ(InputSet({scratch.path("r")}).near_ranks().text(), list + " are" + why);
  EXPECT_EQ(InputSet({scratch.path()}).near_ranks().text(), list + ", " + at + "s.00.et are" + why);
  EXPECT_EQ(InputSet({at + "r.0.et"}).near_ranks().count, 0U);
  EXPECT_EQ(text_of(thrown_error([&] { InputSet set({at + "s"}); })),
            at + "s: no such file, directory or trace set (" + at + "s.0.et …); " + at + "s.00.et is" + why);
  std::filesystem::remove(at + "r.1.et.gz");
  scratch.write("r.2.et", "");
  EXPECT_EQ(text_of(thrown_error([&] { InputSet set({at + "r"}); })),
            at + "r.1.et: missing from the set, whose last rank is 2; " + list + " are" + why);
}

TEST(InputSet, MembersThatAreNearlyRanksAreTold) {
  const Scratch scratch;
  Names members = {"r.00.et", "r.0.et", "notes"};
  for (int i = 1; i < 9; ++i) members.push_back("r.0" + std::to_string(i) + ".et");
  const std::string path = scratch.write("a.tar", tar_of_names(members));
  InputSet set({path});
  EXPECT_EQ(streams_of(set).size(), 1U);
  EXPECT_EQ(set.near_ranks().count, 9U);
  EXPECT_EQ(set.near_ranks().names.size(), 5U);
  EXPECT_EQ(set.near_ranks().text().substr(0, path.size() + 12), path + "(r.00.et), " + path.substr(0, 1));
  EXPECT_NE(set.near_ranks().text().find("(r.04.et) and 4 more are not read"), std::string::npos);
}

TEST(InputSet, GroupsOfATar) {
  const Scratch scratch;
  const std::string first = scratch.write("a.tar", tar_of_names({"r.groups.json", "r.0.et", "r.1.et"}));
  InputSet early({first});
  EXPECT_EQ(groups_of(early), "<r.groups.json>");
  EXPECT_EQ(streams_of(early).size(), 2U);
  EXPECT_TRUE(early.skipped().empty());

  const std::string last = scratch.write("b.tar", tar_of_names({"r.0.et", "r.1.et", "r.groups.json"}));
  InputSet late({last});
  EXPECT_EQ(streams_of(late).size(), 2U);
  EXPECT_EQ(groups_of(late), "<r.groups.json>");
  InputSet too_early({last});
  EXPECT_EQ(groups_of(too_early), std::nullopt);
  EXPECT_EQ(thrown_error([&] { (void)streams_of(too_early); }).kind(), Error::Kind::input);
}

TEST(InputSet, GroupsOfAnotherSetOfTheTarArePassedOver) {
  const Scratch scratch;
  const Names names = {"other.groups.json", "r.groups.json", "r.0.et", "third.groups.json"};
  const std::string path = scratch.write("a.tar", tar_of_names(names));
  InputSet set({path});
  ASSERT_TRUE(set.groups());
  EXPECT_EQ(set.groups()->name, path + "(r.groups.json)");
  EXPECT_EQ(set.groups()->json, "<r.groups.json>");
  EXPECT_EQ(streams_of(set).size(), 1U);
  EXPECT_EQ(set.skipped(), (Names{path + "(other.groups.json)", path + "(third.groups.json)"}));
}

TEST(InputSet, GroupsAreReadOnlyWhenAskedFor) {
  const Scratch scratch;
  scratch.write("out/r.0.et", "zero");
  const std::string groups =
      scratch.write("out/r.groups.json", packed(std::string(65 << 20, ' '), Compression::gzip));
  InputSet set({scratch.path("out/r")});
  EXPECT_EQ(streams_of(set).size(), 1U);
  EXPECT_EQ(text_of(thrown_error([&] { (void)set.groups(); })), groups + ": the groups file exceeds 64 MiB");
  scratch.write("out/r.groups.json", "{}");
  InputSet small({scratch.path("out")});
  EXPECT_EQ(small.groups()->name, scratch.path("out") + "/r.groups.json");
}

TEST(InputSet, WrongTars) {
  const Scratch scratch;
  const auto error_with = [&](const Names& members) {
    const std::string path = scratch.write("t.tar", tar_of_names(members));
    const Error error = thrown_error([&] { (void)streams_of({path}); });
    EXPECT_EQ(error.kind(), Error::Kind::input);
    return text_of(error).substr(scratch.path().size() + 1);
  };
  EXPECT_EQ(error_with({"ring.0.et", "ring.3.et", "ring.1.et"}),
            "t.tar(ring.2.et): missing from the set, whose last rank is 3");
  EXPECT_EQ(error_with({"ring.0.et", "ring.0.et.gz"}), "t.tar(ring.0.et.gz): rank 0 is in the archive twice");
  EXPECT_EQ(error_with({"ring.0.et", "b/ring.1.et"}),
            "t.tar(b/ring.1.et): the archive contains a second trace set in addition to ring");
  EXPECT_EQ(
      error_with({"notes"}),
      "t.tar: the archive contains no ranks (members NAME.0.et …, or NAME.etm); extract a trace with another name, "
      "and pass its file");
  EXPECT_EQ(error_with({"ring.0.et", "../ring.1.et"}),
            "t.tar:@0x600: member ../ring.1.et: absolute names and \"..\" are refused");
  std::string cut = tar_of_names({"ring.0.et"});
  cut.resize(cut.size() - 1024);
  const std::string path = scratch.write("cut.tar", cut);
  InputSet set({path});
  EXPECT_EQ(set.next()->rank, 0U);
  EXPECT_EQ(text_of(thrown_error([&] { (void)set.next(); })),
            path + ":@0x400: the archive is truncated: it lacks the two zero blocks that end a tar");
}

TEST(InputSet, StandardInputAndPipes) {
  const Scratch scratch;
  const int fd = ::open(scratch.write("x", tar_of_names({"a.0.et", "a.1.et"})).c_str(), O_RDONLY);
  const int saved = ::dup(STDIN_FILENO);
  ::dup2(fd, STDIN_FILENO);
  InputSet set({"-"});
  EXPECT_EQ(set.base_name(), "stdin");
  EXPECT_TRUE(set.files().empty());
  EXPECT_EQ(streams_of(set), (Names{"<stdin>(a.0.et) rank=0 <a.0.et>", "<stdin>(a.1.et) rank=1 <a.1.et>"}));
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(fd);

  const std::string fifo = scratch.path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(fifo) << "once"; });
  InputSet pipe({fifo});
  EXPECT_TRUE(pipe.files().empty());
  EXPECT_EQ(streams_of(pipe), (Names{fifo + " rank=none once"}));
  writer.join();
}

TEST(InputSet, DamagedFilesFailWhenTheirTurnComes) {
  const Scratch scratch;
  const std::string good = scratch.write("a.xml", "good");
  const std::string bad = scratch.write("b.xml.gz", "\x1f\x8b\x08");
  InputSet set({good, bad});
  EXPECT_EQ(set.files().size(), 2U);
  EXPECT_EQ(set.next()->input->read_rest(), "good");
  EXPECT_EQ(thrown_error([&] { (void)set.next()->input->read_rest(); }).where().file, bad);
}

TEST(InputSet, ATarCutInItsFirstHeader) {
  const Scratch scratch;
  const std::string header = tar_of_names({"r.0.et"}).substr(0, 511);
  const auto message = [](const std::string& path) {
    return text_of(thrown_error([&] { (void)InputSet({path}).next(); }));
  };
  for (const std::size_t n : {1U, 6U, 100U, 262U, 511U}) {
    const std::string cut = header.substr(0, n);
    const std::string path = scratch.write("cut.tar", cut);
    EXPECT_EQ(message(path), path + ":@0x0: the archive is truncated inside a header") << n;
    EXPECT_TRUE(InputSet({path}).files().empty());
    for (const auto& [name, compression] : {std::pair{"cut.tar.gz", Compression::gzip},
                                            {"cut.tgz", Compression::gzip},
                                            {"cut.tar.zst", Compression::zstd}}) {
      const std::string packed_path = scratch.write(name, test::packed(cut, compression));
      EXPECT_EQ(message(packed_path), packed_path + ":@0x0: the archive is truncated inside a header") << n;
    }
  }
  const std::string empty = scratch.write("empty.tar", "");
  EXPECT_EQ(message(empty), empty + ":@0x0: the archive is truncated: it lacks the two zero blocks that end a tar");
}

// Without the name of a tar, only the magic distinguishes it from other streams.
TEST(InputSet, ACutTarWithoutATarName) {
  const Scratch scratch;
  const std::string header = tar_of_names({"r.0.et"});
  const std::string sure = scratch.write("sure", header.substr(0, 262));
  EXPECT_EQ(text_of(thrown_error([&] { (void)InputSet({sure}).next(); })),
            sure + ":@0x0: the archive is truncated inside a header");
  const std::string unsure = scratch.write("unsure", header.substr(0, 261));
  EXPECT_EQ(InputSet({unsure}).next()->input->read_rest(), header.substr(0, 261));
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], header.data(), 300), 300);
  ::close(ends[1]);
  const int saved = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  EXPECT_EQ(text_of(thrown_error([] { (void)InputSet({"-"}).next(); })),
            "<stdin>:@0x0: the archive is truncated inside a header");
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(ends[0]);
}

TEST(InputSet, BaseNames) {
  const Scratch scratch;
  const auto base = [&](const std::string& name) { return InputSet({scratch.write(name, "x")}).base_name(); };
  EXPECT_EQ(base("ring.xml"), "ring");
  EXPECT_EQ(base("ring.xml.gz.zst"), "ring.xml.gz") << "one compression";
  EXPECT_EQ(base("dir/ring.0.et"), "ring");
  EXPECT_EQ(base("ring.0.et.txt"), "ring.0.et");
  EXPECT_EQ(base("host.3.json"), "host");
  EXPECT_EQ(base("all.n8.xml"), "all.n8");
  EXPECT_EQ(base("set.tar"), "set");
  EXPECT_EQ(base("set.tar.zst"), "set");
  EXPECT_EQ(base("set.tgz"), "set");
  EXPECT_EQ(base("plain"), "plain");
  EXPECT_EQ(base(".et"), ".et");
  scratch.write("v1.2.0.et", "");
  EXPECT_EQ(InputSet({scratch.path("v1.2")}).base_name(), "v1.2");
  EXPECT_EQ(InputSet({"/dev/null"}).base_name(), "stdin");
}

}  // namespace
}  // namespace convert
