// SPDX-License-Identifier: MIT
#include "util/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace convert {
namespace {

TEST(Utf8, OneWrongByteIsFoundWhereverItStands) {
  for (std::size_t size = 0; size < 1200; size += size < 40 ? 1 : 97) {
    std::string text(size, 'a');
    EXPECT_TRUE(is_ascii(text));
    EXPECT_EQ(find_invalid_utf8(text), std::string::npos);
    for (std::size_t at = 0; at < size; at += size < 40 ? 1 : 13) {
      text[at] = '\xff';
      EXPECT_FALSE(is_ascii(text)) << at << " of " << size;
      EXPECT_EQ(find_invalid_utf8(text), at) << "of " << size;
      text[at] = 'a';
    }
  }
}

TEST(Utf8, SequencesMayStandAnywhere) {
  for (std::size_t before = 0; before < 20; ++before) {
    const std::string text = std::string(before, 'x') + "größe €😀" + std::string(20, 'y');
    EXPECT_FALSE(is_ascii(text));
    EXPECT_EQ(find_invalid_utf8(text), std::string::npos);
    EXPECT_EQ(find_invalid_utf8(text + "\xe2\x82"), text.size());  // truncated
  }
}

TEST(Utf8, TextIsCutBetweenCharacters) {
  EXPECT_EQ(cut_text("größe", 7), "größe");
  EXPECT_EQ(cut_text("größe", 6), "größ…");
  EXPECT_EQ(cut_text("größe", 5), "grö…");
  EXPECT_EQ(cut_to("größe", 3), "gr");
  EXPECT_EQ(cut_to("ö", 1), "");
}

}  // namespace
}  // namespace convert
