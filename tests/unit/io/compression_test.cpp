// SPDX-License-Identifier: MIT
#include "io/compression.h"

#include "common/expect_error.h"
#include "common/scratch.h"
#include "unit/io/packed.h"

namespace convert {
namespace {

using test::packed;
using test::sample;
using test::Scratch;
using test::thrown_error;
using test::unpacked;

class CompressionTest : public ::testing::TestWithParam<Compression> {
 protected:
  static std::string suffix() { return GetParam() == Compression::gzip ? ".gz" : ".zst"; }
};

TEST_P(CompressionTest, RoundTrips) {
  for (const std::size_t size : {0UL, 1UL, 1000UL, 131'072UL, 5'000'000UL}) {
    const std::string bytes = sample(size);
    EXPECT_EQ(unpacked(packed(bytes, GetParam())), bytes) << size;
  }
}

TEST_P(CompressionTest, ManySmallWritesAreTheSameStream) {
  const std::string bytes = sample(100'000);
  std::string to;
  const auto output = compressed(memory_output(to), GetParam());
  for (std::size_t i = 0; i < bytes.size(); i += 7) output->write(std::string_view(bytes).substr(i, 7));
  output->close();
  EXPECT_EQ(unpacked(to), bytes);
  EXPECT_EQ(packed(bytes, GetParam()), packed(bytes, GetParam()));
}

TEST_P(CompressionTest, SeveralMembers) {
  const std::string a = sample(1000);
  const std::string b = sample(200'000);
  EXPECT_EQ(unpacked(packed(a, GetParam()) + packed("", GetParam()) + packed(b, GetParam())), a + b);
}

TEST_P(CompressionTest, CutAtEveryByteIsAnError) {
  const Scratch scratch;
  const std::string whole = packed(sample(300), GetParam());
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const std::string path = scratch.write("cut" + suffix(), whole.substr(0, n));
    const Error error = thrown_error([&] { (void)open_input(path)->read_rest(); });
    ASSERT_EQ(error.kind(), Error::Kind::input) << n;
    ASSERT_STREQ(error.what(), "compressed data ends early") << n;
    ASSERT_EQ(error.where().offset, static_cast<std::int64_t>(n));
    ASSERT_EQ(error.where().file, path);
  }
  EXPECT_EQ(open_input(scratch.write("whole" + suffix(), whole))->read_rest(), sample(300));
}

TEST_P(CompressionTest, SecondMemberCutAtEveryByteIsAnError) {
  const std::string one = packed(sample(300), GetParam());
  const std::string two = one + one;
  for (std::size_t n = one.size() + 1; n < two.size(); ++n) {
    ASSERT_EQ(thrown_error([&] { (void)unpacked(two.substr(0, n)); }).kind(), Error::Kind::input) << n;
  }
}

TEST_P(CompressionTest, LargeStreamCutAtTheEndIsAnError) {
  const std::string whole = packed(sample(2'000'000), GetParam());
  for (std::size_t lost = 1; lost < 20; ++lost) {
    const std::string cut = whole.substr(0, whole.size() - lost);
    EXPECT_EQ(thrown_error([&] { (void)unpacked(cut); }).where().offset, static_cast<std::int64_t>(cut.size()));
  }
}

TEST_P(CompressionTest, DamageIsAnErrorOrHarmless) {
  const std::string bytes = sample(3000);
  const std::string whole = packed(bytes, GetParam());
  std::size_t errors = 0;
  for (std::size_t i = 4; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    try {
      EXPECT_EQ(unpacked(damaged), bytes) << i;  // header bytes such as the time are ignored
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::input);
      ++errors;
    }
  }
  EXPECT_GT(errors, whole.size() - 16);
}

TEST_P(CompressionTest, BytesBehindTheStreamAreAnError) {
  const Error error = thrown_error([] { (void)unpacked(packed("data", GetParam()) + "rest"); });
  EXPECT_EQ(error.kind(), Error::Kind::input);
}

// 64 MiB of zeros in a few kilobytes: read in pieces, they take no memory.
TEST_P(CompressionTest, BombsAreStreamed) {
  std::string bomb;
  const auto output = compressed(memory_output(bomb), GetParam());
  const std::string zeros(1 << 20, '\0');
  for (int i = 0; i < 64; ++i) output->write(zeros);
  output->close();
  const auto input = decompressed(memory_input("bomb", bomb));
  std::size_t largest = 0;
  while (!input->at_end()) {
    const std::size_t n = input->peek(1).size();
    largest = std::max(largest, n);
    input->skip(n);
  }
  EXPECT_EQ(input->offset(), 64U << 20);
  EXPECT_LE(largest, 128U * 1024U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, CompressionTest, ::testing::Values(Compression::gzip, Compression::zstd),
                         [](const auto& kind) { return kind.param == Compression::gzip ? "gzip" : "zstd"; });

TEST(Compression, BySuffix) {
  EXPECT_EQ(compression_of("a.et.gz"), Compression::gzip);
  EXPECT_EQ(compression_of("a.et.zst"), Compression::zstd);
  EXPECT_EQ(compression_of("a.et"), Compression::none);
}

TEST(Compression, GzipHeaderHasNoTimeAndNoName) {
  const std::string bytes = packed("x", Compression::gzip);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10));
}

TEST(Compression, GzipMayBePaddedWithZeros) {
  EXPECT_EQ(unpacked(packed("data", Compression::gzip) + std::string(70'000, '\0')), "data");
}

TEST(Compression, PlainBytesPassThrough) {
  EXPECT_EQ(unpacked(""), "");
  EXPECT_EQ(unpacked("("), "(");
  EXPECT_EQ(unpacked("<algo/>"), "<algo/>");
}

TEST(ForeignContentTest, IsNamedWithANextStep) {
  using std::string_view_literals::operator""sv;
  const Scratch scratch;
  const std::pair<std::string_view, const char*> cases[] = {
      {"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n",
       "is a Git LFS pointer without the content; run git lfs pull"},
      {"/annex/objects/SHA256E-s3--00.json\n", "is a git-annex pointer without the content; run git annex get"},
      {"PK\3\4\24\0\0\0"sv, "is a zip archive, which is not supported; extract the traces with unzip"},
      {"\xfd\67zXZ\0\0\4"sv, "is compressed by xz, which is not supported; decompress it with xz -d"},
      {"BZh91AY&SY", "is compressed by bzip2, which is not supported; decompress it with bunzip2"},
      {"\xff\xfe{\0\"\0"sv, "is UTF-16 text, which is not supported; convert it with iconv -f UTF-16 -t UTF-8"},
      {"\n\n<!DOCTYPE html>\n<html>", "is an HTML page; download the file that it shows"},
  };
  for (const auto& [bytes, what] : cases) {
    const std::string path = scratch.write("file", std::string(bytes));
    const Error error = thrown_error([&] { (void)open_input(path); });
    EXPECT_EQ(error.kind(), Error::Kind::input) << what;
    EXPECT_STREQ(error.what(), what);
    EXPECT_EQ(error.where().file, path);
  }
}

TEST(ForeignContentTest, TextThatBeginsAlikeIsRead) {
  const Scratch scratch;
  for (const std::string text : {"version 3", "P", "PK", "<", "<algo name=\"x\">", "\xff\xfe", "\n\n{}"}) {
    EXPECT_EQ(open_input(scratch.write("file", text))->read_rest(), text);
  }
}

}  // namespace
}  // namespace convert
