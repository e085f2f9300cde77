// SPDX-License-Identifier: MIT
// Every .et file written by another tool is reproduced byte for byte, also through JSON.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "corpus.h"
#include "formats/format.h"

namespace convert {
namespace {

std::string recode(Input& input, const char* from, const char* to) {
  const FormatOptions options;
  Diagnostics diagnostics;
  const auto reader = find_format(from).read({input, std::nullopt, options, diagnostics});
  const auto writer = find_format(to).write(options);
  std::string out;
  Trace trace;
  while (reader->next_rank(trace)) {
    writer->begin_rank(trace, 0, false, out);
    while (reader->next_nodes(trace, 1000)) writer->nodes(trace, out);
    writer->end_rank(out);
  }
  return out;
}

std::string recode(const std::string& bytes, const char* from, const char* to) {
  const auto input = memory_input("text", bytes);
  return recode(*input, from, to);
}

std::vector<std::string> trace_files() {
  std::vector<std::string> paths;
  for (const char* folder : {"astra/cases", "astra/fig4", "text", "generator", "pytorch/expected"}) {
    if (!std::filesystem::exists(corpus::root() / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus::root() / folder)) {
      const std::string path = entry.path().string();
      if (entry.is_regular_file() && (path.ends_with(".et") || path.ends_with(".et.gz"))) paths.push_back(path);
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(ChakraCorpus, FilesComeBackByteForByte) {
  REQUIRE_CORPUS();
  std::size_t files = 0;
  std::size_t bytes = 0;
  for (const std::string& path : trace_files()) {
    const std::string original = open_input(path)->read_rest();
    const auto input = open_input(path);
    EXPECT_EQ(detect_format(input->peek(4096), "-"), &find_format("chakra")) << path;
    ASSERT_TRUE(recode(*input, "chakra", "chakra") == original) << path;
    if (original.size() < 200'000) {
      ASSERT_TRUE(recode(recode(original, "chakra", "json"), "json", "chakra") == original) << path;
      ASSERT_TRUE(recode(recode(original, "chakra", "jsonl"), "jsonl", "chakra") == original) << path;
    }
    ++files;
    bytes += original.size();
  }
  EXPECT_GT(files, 1000U);
  RecordProperty("files", std::to_string(files));
  std::printf("%zu files, %zu bytes\n", files, bytes);
}

}  // namespace
}  // namespace convert
