// SPDX-License-Identifier: MIT
#include "io/document_limit.h"

#include "common/expect_error.h"
#include "io/archive.h"
#include "unit/io/packed.h"

namespace convert {
namespace {

using test::packed;
using test::text_of;
using test::thrown_error;

constexpr std::size_t mib = std::size_t{1} << 20;

// Resets the limit when a test ends.
class Limit {
 public:
  explicit Limit(std::uint64_t bytes) { set_document_limit(bytes); }
  ~Limit() { set_document_limit(std::nullopt); }
};

// 48 MiB that compress to a few KiB. With twice the size for parsing, far more than 64 MiB.
std::string bomb(Compression compression) { return packed(std::string(48 * mib, 'a'), compression); }

TEST(DocumentLimit, ACompressedDocumentIsLimited) {
  for (const Compression compression : {Compression::gzip, Compression::zstd}) {
    const std::string bytes = bomb(compression);
    const Error error = thrown_error([&] { (void)decompressed(memory_input("bomb", bytes))->read_rest(); });
    EXPECT_EQ(error.kind(), Error::Kind::input);
    EXPECT_EQ(error.rule(), "memory");
    EXPECT_NE(text_of(error).find("bomb: "), std::string::npos);
    EXPECT_NE(text_of(error).find("1,000 times their size plus 64 MiB"), std::string::npos) << text_of(error);
    EXPECT_NE(text_of(error).find("--max-expand SIZE"), std::string::npos);
    EXPECT_EQ(text_of(thrown_error([&] { (void)decompressed(memory_input("bomb", bytes))->peek(48 * mib); })),
              text_of(error));
    const auto held = decompressed(memory_input("bomb", bytes));
    held->hold();
    std::string part(mib, '\0');
    EXPECT_EQ(text_of(thrown_error([&] {
                while (held->read(part.data(), part.size()) > 0) {
                }
              })),
              text_of(error));
  }
}

TEST(DocumentLimit, WhatIsStreamedIsNot) {
  const std::string bytes = bomb(Compression::zstd);
  const auto input = decompressed(memory_input("bomb", bytes));
  std::size_t seen = 0;
  for (std::string_view part = input->peek(1); !part.empty(); part = input->peek(1)) {
    seen += part.size();
    input->skip(part.size());
  }
  EXPECT_EQ(seen, 48 * mib);
}

// Data that is read part by part counts once: 48 MiB are below 64.
TEST(DocumentLimit, TextAloneCountsOnce) {
  const std::string bytes = bomb(Compression::zstd);
  EXPECT_EQ(decompressed(memory_input("text", bytes))->read_rest(0, Held::text).size(), 48 * mib);
}

std::size_t read_through(const std::string& bytes) {
  const auto input = decompressed(memory_input("stream", bytes));
  std::size_t seen = 0;
  for (std::string_view part = input->peek(1); !part.empty(); part = input->peek(1)) {
    seen += part.size();
    input->skip(part.size());
  }
  return seen;
}

// A zstd frame in which every four bytes are a block of 128 KiB.
std::string stream_bomb(std::size_t blocks) {
  std::string bytes("\x28\xb5\x2f\xfd\x00\x38", 6);
  for (std::size_t i = 0; i < blocks; ++i)
    bytes += std::string(i + 1 < blocks ? "\x02\x00\x10" : "\x03\x00\x10", 3) + 'a';
  return bytes;
}

TEST(DocumentLimit, AStreamEndsAThousandTimesItsBytesAndOneGibibyte) {
  const std::string all = stream_bomb(12 * 1024);
  const Error error = thrown_error([&] { (void)read_through(all); });
  EXPECT_EQ(error.rule(), "memory");
  EXPECT_NE(text_of(error).find("1,000 times their size plus 1 GiB"), std::string::npos) << text_of(error);
  EXPECT_NE(text_of(error).find("--max-expand SIZE"), std::string::npos);
  const Limit limit(2048 * mib);
  EXPECT_EQ(read_through(all), 1536 * mib);
}

// All output of the library can be read back as one document.
TEST(DocumentLimit, WhatIsWrittenIsReadBack) {
  std::string text;
  const std::string part = test::sample(mib / 16);
  while (text.size() < 160 * mib) text += part;
  const std::string bytes = packed(text, Compression::zstd);
  EXPECT_GT(text.size(), 300 * bytes.size()) << "the case would not be one";
  EXPECT_EQ(decompressed(memory_input("own", bytes))->read_rest(0, Held::text).size(), text.size());
}

TEST(DocumentLimit, IsRaisedAndLowered) {
  const std::string bytes = bomb(Compression::gzip);
  {
    const Limit limit(160 * mib);
    EXPECT_EQ(decompressed(memory_input("bomb", bytes))->read_rest().size(), 48 * mib);
  }
  {
    const Limit limit(mib);
    EXPECT_NE(text_of(thrown_error([&] {
                (void)memory_input("plain", std::string(2 * mib, 'a'))->read_rest();
              })).find("plain: one document or message is larger than 1 MiB; if the data is trusted"),
              std::string::npos);
    EXPECT_EQ(memory_input("plain", std::string(mib, 'a'))->read_rest().size(), mib);
  }
  EXPECT_EQ(memory_input("plain", std::string(2 * mib, 'a'))->read_rest().size(), 2 * mib);
}

TEST(DocumentLimit, HonestDataPasses) {
  const std::string text = test::sample(24 * mib);
  for (const Compression compression : {Compression::gzip, Compression::zstd}) {
    const std::string bytes = packed(text, compression);
    EXPECT_EQ(decompressed(memory_input("m", bytes))->read_rest(), text);
  }
}

// Together they are 80 MiB, each alone is small.
TEST(DocumentLimit, MembersOfAnArchiveAreNotCountedTogether) {
  std::string tar;
  {
    const auto output = memory_output(tar);
    TarWriter writer(*output);
    for (int r = 0; r < 4; ++r) writer.add("ring." + std::to_string(r) + ".et", std::string(20 * mib, 'a'));
    writer.close();
  }
  const std::string bytes = packed(tar, Compression::zstd);
  const auto archive = decompressed(memory_input("a.tar.zst", bytes));
  TarReader reader(*archive);
  int members = 0;
  while (Input* const member = reader.next()) {
    EXPECT_EQ(member->compressed_bytes(), bytes.size());
    EXPECT_EQ(member->read_rest().size(), 20 * mib);
    ++members;
  }
  EXPECT_EQ(members, 4);
}

// The bytes of the file count, not the bytes of the compressed member inside.
TEST(DocumentLimit, CompressedTwice) {
  const std::string inner = packed(std::string(64 * mib, '\0'), Compression::gzip);
  const std::string bytes = packed(inner, Compression::zstd);
  const auto input = decompressed(decompressed(memory_input("m", bytes)));
  EXPECT_EQ(input->compressed_bytes(), bytes.size());
  EXPECT_EQ(thrown_error([&] { (void)input->read_rest(); }).rule(), "memory");
}

}  // namespace
}  // namespace convert
