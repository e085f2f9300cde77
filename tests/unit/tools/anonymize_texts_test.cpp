// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <random>

#include "anonymize/numbers.h"
#include "anonymize/texts.h"

namespace tools {
namespace {

std::vector<std::string> found_in(const TextSearch& search, std::string_view bytes) {
  std::vector<std::string> out;
  for (const std::uint32_t t : search.find(bytes)) out.push_back(search.text(t));
  return out;
}

using Texts = std::vector<std::string>;

TEST(TextSearch, FindsWholesAndWords) {
  TextsOfSet texts;
  texts.add("aten::linear backward");
  texts.add("abc");
  texts.add("[[64, 1000], [GPU:float32]]");
  const TextSearch search(texts);
  EXPECT_EQ(found_in(search, "xxbackwardxx"), Texts{"backward"});
  EXPECT_EQ(found_in(search, "aten::linear backward"),
            (Texts{"aten", "aten::linear backward", "backward", "linear"}));
  EXPECT_EQ(found_in(search, "abc float"), Texts{});
  EXPECT_EQ(found_in(search, "float32"), Texts{"float32"});
  EXPECT_EQ(found_in(search, "bac"), Texts{});
}

// Keyed names may hold them, and numbers of nodes.
TEST(TextSearch, LeavesOutWhatIsThereByChance) {
  TextsOfSet texts;
  for (const char* text : {"cafe", "12345678901234567890", "1.2.3.4", "deadbeefcafe", "beefy"}) texts.add(text);
  const TextSearch search(texts);
  EXPECT_EQ(search.size(), 2U);
  EXPECT_EQ(search.left_out(), 3U);
}

TEST(TextSearch, AgreesWithTheSimpleWay) {
  std::mt19937 random(3);
  const auto letters = [&](std::size_t n) {
    std::string out;
    while (out.size() < n) out += "xyz"[random() % 3];
    return out;
  };
  for (int round = 0; round < 50; ++round) {
    TextsOfSet texts;
    for (int i = 0; i < 30; ++i) texts.add(letters(4 + random() % 4));
    const TextSearch search(texts);
    const std::string bytes = letters(200);
    Texts expected;
    for (std::uint32_t t = 0; t < search.size(); ++t) {
      if (bytes.find(search.text(t)) != std::string::npos) expected.push_back(search.text(t));
    }
    EXPECT_EQ(found_in(search, bytes), expected);
  }
}

TEST(Numbers, ThoseThatOccurOnceAndSurvive) {
  SetNumbers before, after;
  for (const auto& [value, count] : {std::pair{10, 1}, {20, 2}, {30, 1}})
    before.values["num_ops"][static_cast<std::uint64_t>(value)] = static_cast<std::uint64_t>(count);
  after.values["num_ops"][30] = 2;
  const NumbersProof proof = compare_numbers(before, after);
  EXPECT_EQ(proof.rare.at("num_ops").once, 2U);
  EXPECT_EQ(proof.rare.at("num_ops").survive, 1U);
  EXPECT_EQ(proof.rare.at("num_ops").largest, std::vector<std::uint64_t>{30});
}

TEST(Numbers, EntropyOfEquallyFrequentThings) {
  Variety v;
  EXPECT_EQ(v.bits(), 0);
  for (const char* name : {"a", "b", "c", "d"}) v.add(name);
  EXPECT_DOUBLE_EQ(v.bits(), 2);
  EXPECT_EQ(v.distinct(), 4U);
}

}  // namespace
}  // namespace tools
