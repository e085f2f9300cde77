// SPDX-License-Identifier: MIT
#include "config/devices/device_map.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "common/expect_error.h"

namespace {

using namespace convert;

// The entries as "KEY@LINE:COLUMN RANK[>PEER][/BYTES]", joined by "; ".
std::string entries(std::string_view text) {
  std::string out;
  for (const DeviceEntry& e : parse_device_map("m", text).entries) {
    out += (out.empty() ? "" : "; ") + e.key + "@" + std::to_string(e.line) + ":" + std::to_string(e.column) + " " +
           std::to_string(e.rank);
    if (e.peer) out += ">" + std::to_string(*e.peer);
    if (e.bytes) out += "/" + std::to_string(*e.bytes);
  }
  return out;
}

std::string device_map_error(std::string_view text) {
  return test::error_text([&] { (void)parse_device_map("m", text); }, "devices");
}

TEST(DeviceMap, Csv) {
  EXPECT_EQ(entries("node0,0\n"), "node0@1:1 0");
  EXPECT_EQ(entries("# c\n\nnode,rank\r\n  a b* , 3 \r\n\"x,\"\"y\" ,1,2\nc,0,1,4KiB"),
            "a b*@4:3 3; x,\"y@5:1 1>2; c@6:1 0>1/4096");
  EXPECT_EQ(entries("node,src,dst,bytes\na,0,1,2"), "a@2:1 0>1/2");
}

TEST(DeviceMap, Json) {
  EXPECT_EQ(entries("\n{\"node0\": 0,\n \"a*\": [1, 2], \"b\": [1, 2, \"1KB\"], \"c\\n\": [0, 1, 7]}"),
            "node0@2:2 0; a*@3:2 1>2; b@3:16 1>2/1000; c\n@3:36 0>1/7");
}

TEST(DeviceMap, Errors) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "m: empty; lines such as node0,3 are expected"},
      {"# nothing\nnode,rank\n", "m: empty; lines such as node0,3 are expected"},
      {"node0", "m:1:1: 'node0' requires the rank of a task, or source, destination and size of a transfer"},
      {"a,1,2,3,4", "m:1:1: 'a' requires the rank of a task, or source, destination and size of a transfer"},
      {"a,1\n ,2", "m:2:2: a task or a pattern of names is expected"},
      {"a,x", "m:1:3: 'x' is not a rank, an integer from 0 to 2^31-1"},
      {"a,2147483648", "m:1:3: '2147483648' is not a rank, an integer from 0 to 2^31-1"},
      {"a,0, -1", "m:1:6: '-1' is not a rank, an integer from 0 to 2^31-1"},
      {"a,0,1,1.5", "m:1:7: '1.5' is not a size in bytes (examples: 4096, 64KiB, 1MB)"},
      {"a,0\nb,1\na,1", "m:3:1: 'a' is repeated; first given in line 1"},
      {"a,0\n\"b", "m:2:1: unterminated string"},
      {"\"b\"c,0", "m:1:4: expected a comma after the string"},
      {"{}", "m: empty; lines such as node0,3 are expected"},
      {"{\"a\": \"x\"}", "m:1:7: 'x' is not a rank, an integer from 0 to 2^31-1"},
      {"{\"a\": [1]}", "m:1:2: 'a' requires the rank of a task, or source, destination and size of a transfer"},
      {"{\"a\": 1,\n\"a\": 2}", "m:2:1: 'a' is repeated; first given in line 1"},
      {"{\"a\": {\"b\": 1}}", "m:1:7: '{' is not a rank, an integer from 0 to 2^31-1"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(device_map_error(text), expected) << text;
  EXPECT_TRUE(device_map_error("{\"a\": 1").starts_with("m:1:")) << device_map_error("{\"a\": 1");
}

}  // namespace
