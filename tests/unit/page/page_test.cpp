// SPDX-License-Identifier: MIT
#include "page/page.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "common/error_text.h"
#include "core/diagnostic.h"
#include "page/assets.h"

namespace convert {
namespace {

std::string head_of(const std::string& data) {
  std::uint32_t length = 0;
  std::memcpy(&length, data.data(), sizeof length);
  return data.substr(sizeof length, length);
}

TEST(PageData, HeadNamesTheColumnsBehindIt) {
  const Column columns[] = {
      {"kind", std::vector<std::uint8_t>{7, 9}, Column::Code::raw},
      {"begin", std::vector<double>{0, 1, 0, 100}, Column::Code::delta},
      {"name", std::vector<std::int32_t>{3, 3}, Column::Code::dict},
  };
  const std::string data = page_data(R"({"version":1})", columns);
  EXPECT_EQ(head_of(data),
            R"({"version":1,"columns":[{"name":"kind","rows":2,"kind":"u8","code":"raw","offset":0,"bytes":2},)"
            R"({"name":"begin","rows":4,"kind":"f64","code":"delta","offset":2,"bytes":5},)"
            R"({"name":"name","rows":2,"kind":"i32","code":"dict","offset":7,"bytes":2}]})");
  EXPECT_EQ(data.substr(4 + head_of(data).size()), std::string("\x07\x09\x00\x02\x01\xC8\x01\x06\x06", 9));
}

TEST(PageData, NoColumnsAndNoHead) {
  EXPECT_EQ(head_of(page_data("{}", {})), R"({"columns":[]})");
  EXPECT_EQ(head_of(page_data("{ }", {})), R"({ "columns":[]})");
}

TEST(PageData, CodesAreExactToTheEnds) {
  const Column columns[] = {
      {"wide", std::vector<double>{9007199254740992, -9007199254740992}, Column::Code::delta}};
  const std::string data = page_data("{}", columns);
  EXPECT_EQ(data.substr(4 + head_of(data).size()).size(), 8u + 8u);
}

TEST(WritePage, TitleIsTextAndBytesAreEqual) {
  if (!has_pages()) GTEST_SKIP() << "built without pages";
  std::string once;
  std::string twice;
  for (std::string* to : {&once, &twice}) {
    const auto out = memory_output(*to);
    write_page(PageKind::report, "a</title>&\xff", "{}", {}, *out);
    out->close();
  }
  EXPECT_EQ(once, twice);
  EXPECT_NE(once.find("<title>a&lt;/title>&amp;\xEF\xBF\xBD</title>"), std::string::npos);
  EXPECT_TRUE(once.starts_with("<!DOCTYPE html>"));
}

TEST(WritePage, WithoutPagesSaysSo) {
  if (has_pages()) GTEST_SKIP() << "built with pages";
  std::string text;
  const auto out = memory_output(text);
  EXPECT_THROW(write_page(PageKind::report, "a", "{}", {}, *out), Error);
}

// Pages are sent by mail: the shell must stay small.
TEST(WritePage, ShellsFitTheirBudget) {
  for (const PageKind kind : {PageKind::report, PageKind::ten, PageKind::graph}) {
    EXPECT_LE(page_program(kind).script.size() + page_style().size(), 150'000u);
  }
}

TEST(WritePage, WhatNoBrowserHoldsIsRefused) {
  const auto refusal = [](std::size_t head, std::size_t data, std::size_t encoded) {
    return test::error_message([&] { check_page_size("big", head, data, encoded); });
  };
  EXPECT_EQ(refusal(most_page_characters, (std::size_t{1} << 31) - 1, most_page_characters), "");
  EXPECT_EQ(refusal(0, 0, most_page_characters + 1),
            "page 'big': compressed data of 536870889 bytes exceeds the 536870888 bytes that a browser holds; "
            "choose fewer ranks or a shorter time window");
  EXPECT_NE(refusal(most_page_characters + 1, 0, 0).find("page 'big': text of 536870889 bytes"), std::string::npos);
  EXPECT_NE(refusal(0, std::size_t{1} << 31, 0).find("page 'big': data of 2147483648 bytes"), std::string::npos);
}

}  // namespace
}  // namespace convert
