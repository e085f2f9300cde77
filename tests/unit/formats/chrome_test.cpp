// SPDX-License-Identifier: MIT
#include "formats/timeline/chrome.h"

#include <gtest/gtest.h>

#include <string>

namespace convert {
namespace {

std::string chrome(const Timeline& timeline) {
  std::string text;
  const auto out = memory_output(text);
  write_chrome(timeline, *out);
  out->close();
  return text;
}

TEST(Chrome, WritesSlicesThreadsAndArrows) {
  Timeline t;
  t.slices.push_back({.begin_ps = 1'000'000,
                      .end_ps = 3'500'001,
                      .node = 7,
                      .bytes = 64,
                      .flow = 1,
                      .rank = 0,
                      .name = t.names.add("a \"b\""),
                      .peer = 1,
                      .lane = Lane::send});
  t.slices.push_back({.begin_ps = 0,
                      .end_ps = 3'500'001,
                      .node = 8,
                      .bytes = 64,
                      .flow = 1,
                      .rank = 1,
                      .name = t.names.add("r"),
                      .peer = 0,
                      .lane = Lane::recv});
  EXPECT_EQ(chrome(t),
            R"({"displayTimeUnit":"ns","traceEvents":[
{"name":"process_name","ph":"M","pid":0,"tid":0,"args":{"name":"rank 0"}},
{"name":"a \"b\"","cat":"send","ph":"X","pid":0,"tid":0,"ts":1,"dur":2.500001,"args":{"node":7,"bytes":64,"peer":1}},
{"name":"message","cat":"message","ph":"s","id":"0x1","pid":0,"tid":0,"ts":1},
{"name":"thread_name","ph":"M","pid":0,"tid":0,"args":{"name":"send"}},
{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"rank 1"}},
{"name":"r","cat":"recv","ph":"X","pid":1,"tid":0,"ts":0,"dur":3.500001,"args":{"node":8,"bytes":64,"peer":0}},
{"name":"message","cat":"message","ph":"f","bp":"e","id":"0x1","pid":1,"tid":0,"ts":3.5},
{"name":"thread_name","ph":"M","pid":1,"tid":0,"args":{"name":"recv"}}
]}
)");
}

TEST(Chrome, OverlappingSlicesGetThreadsOfTheirOwn) {
  Timeline t;
  const std::uint32_t name = t.names.add("x");
  t.slices.push_back({.begin_ps = 0, .end_ps = 10, .node = 0, .name = name, .lane = Lane::compute});
  t.slices.push_back({.begin_ps = 5, .end_ps = 15, .node = 1, .name = name, .lane = Lane::compute});
  t.slices.push_back({.begin_ps = 10, .end_ps = 20, .node = 2, .name = name, .lane = Lane::compute});
  t.slices.push_back({.begin_ps = 0, .end_ps = 1, .node = 3, .name = name, .lane = Lane::recv});
  const std::string text = chrome(t);
  EXPECT_NE(text.find(R"("tid":0,"ts":0,"dur":0.00001,"args":{"node":0})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("tid":1,"ts":0.000005,"dur":0.00001,"args":{"node":1})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("tid":0,"ts":0.00001,"dur":0.00001,"args":{"node":2})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("tid":2,"ts":0,"dur":0.000001,"args":{"node":3})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("args":{"name":"compute 2"})"), std::string::npos) << text;
}

TEST(Chrome, EmptyTimelineIsADocument) {
  EXPECT_EQ(chrome(Timeline{}), "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n]}\n");
}

}  // namespace
}  // namespace convert
