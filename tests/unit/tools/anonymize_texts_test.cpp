// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <random>

#include "anonymize/numbers.h"
#include "anonymize/proof.h"
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

// Keyed names may contain them by chance, as may numbers of nodes.
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

TEST(AnonymityProof, SaysWhatFails) {
  AnonymityProof proof;
  proof.replays.push_back(
      {.how = "as recorded", .before = {.status = "complete"}, .after = {.status = "complete"}});
  ReplayProof& replay = proof.replays.back();
  replay.before.npus[0] = replay.after.npus[0] = {100, 50, 50, 10};
  replay.promised = 0.05;
  replay.largest = {0.05, 0.5, 0, 0};
  proof.verdicts["deps"] = {.errors_before = 2, .errors_after = 3};
  proof.verdicts["pairs"] = {.errors_before = 1, .warnings_after = 1};
  EXPECT_EQ(proof.failures(), Texts{}) << "the finish keeps its bound, and the rules had findings before";
  replay.largest[0] = 0.051;
  proof.verdicts["ids"] = {.warnings_after = 1};
  proof.texts.survive = {"secret"};
  EXPECT_EQ(proof.failures(), (Texts{"the replay as recorded differs", "there are new findings of rule ids",
                                     "1 text of the input can be read, such as 'secret'"}));
  EXPECT_NE(proof_json(proof).find(R"("holds":false)"), std::string::npos);
  EXPECT_NE(proof_text(proof).find("  survives: secret\n"), std::string::npos);
  EXPECT_TRUE(proof_line(proof).starts_with("not proved: "));
  replay.all_promised = true;
  replay.largest = {};
  EXPECT_FALSE(replay.holds()) << "not equal";
  replay.before.npus.clear();
  EXPECT_TRUE(replay.holds()) << "nothing was replayed";
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
