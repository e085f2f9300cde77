// SPDX-License-Identifier: MIT
#include "util/visible.h"

#include <gtest/gtest.h>

namespace convert {
namespace {

TEST(Visible, PlainTextStays) {
  EXPECT_EQ(visible(""), "");
  EXPECT_EQ(visible("C:\\dir 'a' ~"), "C:\\dir 'a' ~");
  EXPECT_EQ(visible("Größe … 名前 \U0001F600 \u00a0"), "Größe … 名前 \U0001F600 \u00a0");
}

TEST(Visible, ControlCharactersAreShown) {
  EXPECT_EQ(visible("a\nb\r\tc"), "a\\nb\\r\\tc");
  EXPECT_EQ(visible("\x1b[31mred\x07\x7f"), "\\x1b[31mred\\x07\\x7f");
  EXPECT_EQ(visible(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(visible("\u0085\u009b31m"), "\\u0085\\u009b31m");
}

TEST(Visible, NothingEndsALineOrTurnsIt) {
  EXPECT_EQ(visible("a\u2028b\u2029c"), "a\\u2028b\\u2029c");
  EXPECT_EQ(visible("\u202egnp.exe\u2066\u200f"), "\\u202egnp.exe\\u2066\\u200f");
}

TEST(Visible, WhatIsNotUtf8IsShown) {
  EXPECT_EQ(visible("\x9b"), "\\x9b");
  EXPECT_EQ(visible("\xc2"), "\\xc2");
  EXPECT_EQ(visible("a\xff\xc3\xa4\xed\xa0\x80"), "a\\xff\u00e4\\xed\\xa0\\x80");
  EXPECT_EQ(visible("\xc0\x8a"), "\\xc0\\x8a") << "a newline in a form that is not allowed";
}

TEST(Visible, IsTheSameTwice) {
  for (const std::string text : {"a\nb", "\x1b", "\u202e", "\xff"})
    EXPECT_EQ(visible(visible(text)), visible(text));
}

}  // namespace
}  // namespace convert
