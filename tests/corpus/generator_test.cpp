// SPDX-License-Identifier: MIT
// The cases of Chakra's generator, byte for byte as written by its run for two NPUs.
#include <gtest/gtest.h>

#include "corpus.h"
#include "formats/format.h"
#include "generate/generate.h"

namespace convert {
namespace {

TEST(GeneratorCorpus, CasesAreByteForByteTheReferences) {
  REQUIRE_CORPUS();
  std::size_t files = 0;
  for (const TraceKind& kind : trace_kinds()) {
    if (kind.reference_case.empty()) continue;
    GenerateRequest request{.kind = std::string(kind.name), .ranks = 2};
    request.like_reference = true;
    const MakeTrace make = trace_generator(request);
    for (Rank rank = 0; rank < 2; ++rank) {
      const auto path = corpus::root() / "generator" / "expected" /
                        (std::string(kind.reference_case) + "." + std::to_string(rank) + ".et");
      const Trace trace = make(rank);
      const auto writer = find_format("chakra").write(FormatOptions{});
      std::string bytes;
      writer->begin_rank(trace, 0, false, bytes);
      writer->nodes(trace, bytes);
      writer->end_rank(bytes);
      EXPECT_TRUE(open_input(path)->read_rest() == bytes) << path;
      ++files;
    }
  }
  EXPECT_EQ(files, 28U);
}

}  // namespace
}  // namespace convert
