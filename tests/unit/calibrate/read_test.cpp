// SPDX-License-Identifier: MIT
// Texts that are no benchmarks.
#include <gtest/gtest.h>

#include <string>

#include "benchmarks.h"

namespace convert {
namespace {

using test::log_refusal;

const std::string accepted =
    "; accepted are logs of nccl-tests and rccl-tests (text, or JSON by -J), JSON lines of NCCL Inspector or "
    "MSCCL++, "
    "XLA's table of collectives, and CSV with the columns collective,ranks,bytes,us";

TEST(ReadBenchmark, NoBenchmark) {
  EXPECT_EQ(log_refusal(""), "log: the file is empty" + accepted);
  EXPECT_EQ(log_refusal("\xEF\xBB\xBF\r\n\n"), "log: the file is empty" + accepted);
  const std::string other = "log: the text is not a benchmark of collectives" + accepted;
  EXPECT_EQ(log_refusal("machine: m\nnode: { gpus: 2 }\n"), other);
  EXPECT_EQ(log_refusal("{}"), other);
  EXPECT_EQ(log_refusal("[1, 2]"), other);
  EXPECT_EQ(log_refusal("a,b,c\n1,2,3\n"), other);
  EXPECT_EQ(log_refusal(std::string(1000, '\0')), other);
  EXPECT_EQ(log_refusal("\x1f\x8b\x08\xff\xfe"), other);
}

// Time and memory are linear in the text.
TEST(ReadBenchmark, LongLines) {
  std::string names = "# Using devices\n";
  for (int i = 0; i < 1'000'000; ++i) names += "_perf";
  EXPECT_EQ(log_refusal(names), "log: no measurement; a row of a table states size and time");
  std::string words = "# Using devices\n# size count type time algbw busbw time algbw busbw\n";
  for (int i = 0; i < 1'000'000; ++i) words += "8 ";
  EXPECT_EQ(log_refusal(words), "log: no measurement; a row of a table states size and time");
  EXPECT_EQ(log_refusal("{\"coll_perf\":" + std::string(2'000'000, '[')).substr(0, 6), "log:1:");
  EXPECT_EQ(log_refusal("collective,ranks,bytes,us\n" + std::string(2'000'000, ',')).substr(0, 18),
            "log: no measuremen");
}

}  // namespace
}  // namespace convert
