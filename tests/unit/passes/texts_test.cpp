// SPDX-License-Identifier: MIT
// The rule `attributes` rejects exactly the text that libprotobuf rejects.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/diagnostic.h"
#include "et_def.pb.h"
#include "formats/chakra/stream.h"
#include "passes/validate.h"
#include "quiet_stderr.h"

namespace convert {
namespace {

namespace proto = ChakraProtoMsg;

// Texts; about one in `odds` is not UTF-8.
class Texts {
 public:
  Texts(unsigned seed, unsigned odds) : random_(seed), odds_(odds) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::string next() {
    static const std::string good[] = {
        "a", "größe", "€", "😀", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf", "sixteen letters.", ""};
    static const std::string bad[] = {"\x80", "\xff", "\xc0\x80", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                      "\xc3"};
    std::string text;
    for (unsigned i = below(4); i > 0; --i) text += good[below(std::size(good))];
    if (below(odds_) == 0) text += bad[below(std::size(bad))];
    if (below(2) == 0) text += good[below(std::size(good))];
    return text;
  }

 private:
  std::mt19937 random_;
  unsigned odds_;
};

void fill(proto::AttributeProto& a, Texts& texts) {
  a.set_name(texts.next());
  if (texts.below(3) == 0) a.set_doc_string(texts.next());
  switch (texts.below(4)) {
    case 0: a.set_string_val(texts.next()); break;
    case 1:
      for (unsigned i = texts.below(4); i > 0; --i) a.mutable_string_list()->add_values(texts.next());
      break;
    case 2: a.set_bytes_val(texts.next() + "\xff"); break;
    default: a.mutable_bytes_list()->add_values(texts.next() + "\xfe");
  }
}

bool complains(const Trace& trace) {
  Diagnostics diagnostics;
  check_trace(trace, RuleSet::parse("attributes"), diagnostics);
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Severity::error && d.message.find("UTF-8") != std::string::npos) return true;
  }
  return false;
}

TEST(AttributeTexts, NodesAreRefusedAsByLibprotobuf) {
  const QuietStderr quiet;
  unsigned refused = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    Texts texts(seed, 3 + seed % 60);
    proto::Node node;
    node.set_id(seed);
    node.set_name(texts.next());
    if (texts.below(2) == 0) node.mutable_inputs()->set_values(texts.next());
    if (texts.below(2) == 0) node.mutable_inputs()->set_shapes(texts.next());
    if (texts.below(2) == 0) node.mutable_outputs()->set_types(texts.next());
    for (unsigned i = texts.below(5); i > 0; --i) fill(*node.add_attr(), texts);
    const std::string bytes = node.SerializeAsString();
    Trace trace;
    ChakraDecoder("t.0.et").node(bytes, 0, 0, trace.nodes);
    const bool parses = proto::Node().ParseFromString(bytes);
    EXPECT_EQ(complains(trace), !parses) << "seed " << seed;
    refused += parses ? 0 : 1;
  }
  EXPECT_GT(refused, 500U);
  EXPECT_LT(refused, 3500U);
}

TEST(AttributeTexts, MetadataAreRefusedAsByLibprotobuf) {
  const QuietStderr quiet;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Texts texts(seed, 3 + seed % 30);
    proto::GlobalMetadata metadata;
    metadata.set_version(texts.next());
    for (unsigned i = texts.below(4); i > 0; --i) fill(*metadata.add_attr(), texts);
    const std::string bytes = metadata.SerializeAsString();
    Trace trace;
    ChakraDecoder("t.0.et").metadata(bytes, 0, trace.metadata);
    EXPECT_EQ(complains(trace), !proto::GlobalMetadata().ParseFromString(bytes)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace convert
