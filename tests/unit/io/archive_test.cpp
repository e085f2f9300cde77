// SPDX-License-Identifier: MIT
#include "io/archive.h"

#include <cstdio>

#include "common/expect_error.h"
#include "common/scratch.h"
#include "unit/io/packed.h"

namespace convert {
namespace {

using test::packed;
using test::sample;
using test::Scratch;
using test::text_of;
using test::thrown_error;

struct Member {
  std::string name;
  std::string bytes;
  friend bool operator==(const Member&, const Member&) = default;
};
using Members = std::vector<Member>;

std::string tar_of(const Members& members) {
  std::string to;
  const auto output = memory_output(to);
  TarWriter writer(*output);
  for (const Member& member : members) writer.add(member.name, member.bytes);
  writer.close();
  return to;
}

Members members_of(std::string_view bytes) {
  const auto input = decompressed(memory_input("t.tar", bytes));
  TarReader reader(*input);
  Members members;
  while (Input* const member = reader.next()) members.push_back({reader.member_name(), member->read_rest()});
  return members;
}

// A single header with any fields and a correct checksum.
std::string header(const std::string& name, std::string_view size, char type, std::string_view magic) {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  block.replace(124, size.size(), size);
  block[156] = type;
  block.replace(257, magic.size(), magic);
  block.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  char text[8];
  std::snprintf(text, sizeof text, "%06o", sum);
  block.replace(148, 7, text, 7);
  return block;
}
std::string posix(const std::string& name, char type, std::string_view size = "00000000000") {
  return header(name, size, type,
                std::string_view("ustar\0"
                                 "00",
                                 8));
}
std::string padded(std::string bytes) {
  bytes.resize((bytes.size() + 511) / 512 * 512);
  return bytes;
}
const std::string end_blocks(1024, '\0');

// Returns the standard output of a command that runs GNU tar or another program on PATH.
std::string run(const std::string& command) {
  std::string out;
  FILE* const stream = ::popen(command.c_str(), "r");
  char chunk[4096];
  while (const std::size_t n = std::fread(chunk, 1, sizeof chunk, stream)) out.append(chunk, n);
  EXPECT_EQ(::pclose(stream), 0) << command;
  return out;
}

TEST(Tar, RoundTrips) {
  const Members members = {{"ring.groups.json", "{}"},
                           {"ring.0.et", sample(1000)},
                           {"ring.1.et", ""},
                           {"dir/ring.2.et", sample(512)},
                           {"ring.3.et", sample(200'000)}};
  const std::string bytes = tar_of(members);
  EXPECT_TRUE(looks_like_tar(bytes));
  EXPECT_EQ(members_of(bytes), members);
  EXPECT_EQ(bytes, tar_of(members));
  EXPECT_EQ(bytes.size() % 512, 0U);
  EXPECT_EQ(bytes.size(), 5U * 512 + 512 + 1024 + 512 + 200'192 + 1024);
}

TEST(Tar, LongNames) {
  const Members members = {{std::string(100, 'n'), "a"},
                           {std::string(150, 'd') + "/" + std::string(99, 'n'), "b"},
                           {std::string(101, 'n'), "c"},
                           {std::string(200, 'd') + "/" + std::string(120, 'n'), "d"},
                           {std::string(94, 'n'), "e"}};
  EXPECT_EQ(members_of(tar_of(members)), members);
}

TEST(Tar, GnuTarReadsIt) {
  const Scratch scratch;
  scratch.write("t.tar", tar_of({{"ring.0.et", sample(700)}, {std::string(180, 'x') + ".et", "long"}}));
  EXPECT_EQ(run("cd " + scratch.path() + " && tar tvf t.tar --numeric-owner --utc | head -1"),
            "-rw-r--r-- 0/0             700 1970-01-01 00:00 ring.0.et\n");
  run("cd " + scratch.path() + " && mkdir x && tar xf t.tar -C x");
  EXPECT_EQ(scratch.read("x/ring.0.et"), sample(700));
  EXPECT_EQ(scratch.read("x/" + std::string(180, 'x') + ".et"), "long");
}

TEST(Tar, ReadsWhatGnuTarWrites) {
  const Scratch scratch;
  const std::string long_name = std::string(120, 'l') + ".0.et";
  scratch.write("in/" + long_name, "one");
  scratch.write("in/sub/b.1.et", sample(3000));
  ::symlink("nowhere", scratch.path("in/link").c_str());
  for (const std::string format : {"gnu", "pax", "ustar", "posix"}) {
    if (format == "ustar") std::filesystem::rename(scratch.path("in/" + long_name), scratch.path("in/s.0.et"));
    const std::string bytes =
        run("cd " + scratch.path() + " && tar c --sort=name --format=" + format + " -C in . | cat");
    Members expected = {{format == "ustar" || format == "posix" ? "./s.0.et" : "./" + long_name, "one"},
                        {"./sub/b.1.et", sample(3000)}};
    EXPECT_EQ(members_of(bytes), expected) << format;
  }
}

TEST(Tar, CutAtEveryByteIsAnError) {
  const std::string bytes =
      tar_of({{"ring.0.et", sample(600)}, {"ring.1.et", ""}, {"ring.2.et", std::string(512, 0)}});
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    const Error error = thrown_error([&] { (void)members_of(std::string_view(bytes).substr(0, n)); });
    ASSERT_EQ(error.kind(), Error::Kind::input) << n;
    ASSERT_EQ(error.where().file, "t.tar");
    ASSERT_NE(std::string(error.what()).find("the archive is truncated"), std::string::npos) << n << error.what();
    ASSERT_LE(error.where().offset, static_cast<std::int64_t>(n));
    ASSERT_GE(error.where().offset + 512, static_cast<std::int64_t>(n));
  }
  EXPECT_EQ(members_of(bytes).size(), 3U);
}

TEST(Tar, CompressedCutAtEveryByteIsAnError) {
  for (const Compression compression : {Compression::gzip, Compression::zstd}) {
    const std::string bytes = packed(tar_of({{"ring.0.et", sample(100)}}), compression);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      ASSERT_EQ(thrown_error([&] { (void)members_of(std::string_view(bytes).substr(0, n)); }).kind(),
                Error::Kind::input)
          << n;
    }
    EXPECT_EQ(members_of(bytes).size(), 1U);
  }
}

TEST(Tar, MembersMayBeCompressed) {
  EXPECT_EQ(members_of(tar_of({{"ring.0.et.gz", packed("text", Compression::gzip)}})),
            (Members{{"ring.0.et.gz", "text"}}));
  const Error cut = thrown_error([] { (void)members_of(tar_of({{"ring.0.et.gz", ""}})); });
  EXPECT_EQ(text_of(cut), "t.tar(ring.0.et.gz):@0x0: compressed data ends early");
}

TEST(Tar, UnreadMembersAreSkipped) {
  const std::string bytes = tar_of({{"a", sample(5000)}, {"b", "second"}});
  const auto input = memory_input("t.tar", bytes);
  TarReader reader(*input);
  EXPECT_EQ(reader.next()->peek(1).substr(0, 1), sample(1));
  Input* const second = reader.next();
  EXPECT_EQ(second->name(), "t.tar(b)");
  EXPECT_EQ(second->size(), 6U);
  EXPECT_EQ(second->read_rest(), "second");
  EXPECT_EQ(reader.next(), nullptr);
}

TEST(Tar, UnsafeNamesAreRefused) {
  for (const std::string name : {"/etc/ring.0.et", "../ring.0.et", "a/../ring.0.et", "a/.."}) {
    const Error error = thrown_error([&] { (void)members_of(tar_of({{name, "x"}})); });
    EXPECT_EQ(error.kind(), Error::Kind::input);
    EXPECT_NE(std::string(error.what()).find("member " + name), std::string::npos) << error.what();
  }
  EXPECT_EQ(members_of(tar_of({{"a/..b/ring..0.et", "x"}})).size(), 1U);
}

TEST(Tar, ALinkInPlaceOfARankIsRefused) {
  const std::string other = posix("other", '2');
  EXPECT_EQ(members_of(other + end_blocks), Members{});
  for (const char type : {'1', '2'}) {
    EXPECT_EQ(thrown_error([&] { (void)members_of(posix("ring.1.et", type) + end_blocks); }).kind(),
              Error::Kind::input);
  }
}

TEST(Tar, ClaimedSizes) {
  const std::string_view huge("\x80\0\0\0\x3f\xff\xff\xff\xff\xff\xff\xff", 12);
  const std::string bytes = posix("ring.0.et", '0', huge) + std::string(512, 'x') + end_blocks;
  const Error cut = thrown_error([&] { (void)members_of(bytes); });
  EXPECT_NE(std::string(cut.what()).find("the archive is truncated: member ring.0.et lacks"), std::string::npos);
  for (const std::string_view bad : {std::string_view("\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12),
                                     std::string_view("-1"), std::string_view("000000008"), std::string_view("")}) {
    EXPECT_EQ(thrown_error([&] { (void)members_of(posix("a", '0', bad) + end_blocks); }).kind(),
              Error::Kind::input);
  }
  // A long name with a claimed size of 7 GiB must not be allocated.
  EXPECT_EQ(thrown_error([&] { (void)members_of(posix("a", 'L', "70000000000") + end_blocks); }).kind(),
            Error::Kind::input);
}

TEST(Tar, PaxRecords) {
  const auto with = [](const std::string& records) {
    char size[12];
    std::snprintf(size, sizeof size, "%011zo", records.size());
    return posix("pax", 'x', {size, 11}) + padded(records) + posix("short", '0', "00000000001") + padded("x") +
           end_blocks;
  };
  EXPECT_EQ(members_of(with("11 path=ab\n")), (Members{{"ab", "x"}}));
  EXPECT_EQ(members_of(with("18 comment=na=me \n11 path=ab\n")), (Members{{"ab", "x"}}));
  for (const std::string bad : {"11 path=abc\n", "99 path=ab\n", "path=ab\n", "3 \n", "8 nokey\n", "0 path=ab\n",
                                "11 size=1x\n", "22 GNU.sparse.major=1\n", "99999999999 path=a\n"}) {
    EXPECT_EQ(thrown_error([&] { (void)members_of(with(bad)); }).kind(), Error::Kind::input) << bad;
  }
}

TEST(Tar, TheEnd) {
  const std::string bytes = tar_of({{"a", "x"}});
  EXPECT_EQ(members_of(bytes + std::string(8 * 512, '\0')).size(), 1U) << "padding to a record";
  EXPECT_EQ(thrown_error([&] { (void)members_of(bytes + bytes); }).kind(), Error::Kind::input) << "two archives";
  EXPECT_EQ(thrown_error([&] { (void)members_of(bytes + std::string(100, '\0')); }).kind(), Error::Kind::input);
  std::string lone = bytes;
  lone[lone.size() - 1] = 'x';
  EXPECT_EQ(thrown_error([&] { (void)members_of(lone); }).kind(), Error::Kind::input);
}

TEST(Tar, DamagedHeaders) {
  const std::string bytes = tar_of({{"a", "x"}, {"b", "y"}});
  for (std::size_t i = 1024; i < 1024 + 345; ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    // Within the checksum field, bytes after the digits are ignored.
    if (i == 1024 + 155) continue;
    const Error error = thrown_error([&] { (void)members_of(damaged); });
    ASSERT_EQ(text_of(error), "t.tar:@0x400: damaged tar header") << i;
  }
}

TEST(Tar, LooksLikeTar) {
  EXPECT_FALSE(looks_like_tar(""));
  EXPECT_FALSE(looks_like_tar(std::string(512, '\0')));
  EXPECT_FALSE(looks_like_tar(std::string(257, 'x') + "ustar" + std::string(300, 'x')));
  EXPECT_TRUE(looks_like_tar(posix("a", '0')));
  EXPECT_TRUE(looks_like_tar(header("a", "00000000000", '0', "ustar  ")));
}

}  // namespace
}  // namespace convert
