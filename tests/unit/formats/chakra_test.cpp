// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>

#include "recode.h"

namespace convert::test {
namespace {

std::string text_field(unsigned number, std::string_view text) {
  std::string out;
  append_varint(out, number << 3U | 2U);
  append_message(out, text);
  return out;
}

std::string varint_field(unsigned number, std::uint64_t value) {
  std::string out;
  append_varint(out, number << 3U);
  append_varint(out, value);
  return out;
}

std::string file_of(std::string_view metadata, const std::vector<std::string>& nodes) {
  std::string out;
  append_message(out, metadata);
  for (const std::string& n : nodes) append_message(out, n);
  return out;
}

// Metadata and three nodes, the last with most kinds of fields.
std::string small_file() {
  const std::string attr = text_field(1, "comm_size") + varint_field(9, 4096);
  const std::string list = text_field(1, "involved_dim") + text_field(28, text_field(1, "\x01\x01"));
  return file_of(text_field(1, "0.0.4") + text_field(2, text_field(1, "schema") + text_field(29, "x")),
                 {varint_field(1, 16) + text_field(2, "first"), varint_field(1, 17) + varint_field(3, 5),
                  varint_field(1, 18) + text_field(4, "\x10") + text_field(5, "\x10\x11") + varint_field(6, 300) +
                      text_field(8, text_field(1, "[1]")) + text_field(10, attr) + text_field(10, list)});
}

bool sniffs(std::string_view format, std::string_view head) {
  return find_format(format).sniff(head.substr(0, 4096));
}

TEST(Chakra, FieldsArriveInTheTables) {
  const Trace t = read_one(small_file(), "chakra");
  EXPECT_EQ(t.rank, 0U);
  EXPECT_EQ(t.name, "test.et");
  EXPECT_EQ(t.metadata.version, "0.0.4");
  ASSERT_EQ(t.nodes.nodes.size(), 3U);
  const Node& n = t.nodes.nodes[2];
  EXPECT_EQ(n.id, 18U);
  EXPECT_EQ(t.nodes.ctrl_deps(n)[0], 16U);
  ASSERT_EQ(t.nodes.data_deps(n).size(), 2U);
  EXPECT_EQ(t.nodes.data_deps(n)[1], 17U);
  EXPECT_EQ(n.start_us, 300U);
  EXPECT_EQ(t.nodes.view(t.nodes.io[n.inputs - 1].values), "[1]");
  EXPECT_EQ(int_value(t.nodes.attributes(n), attr::comm_size).value, 4096);
  const Attr* dims = find(t.nodes.attributes(n), attr::involved_dim);
  ASSERT_NE(dims, nullptr);
  EXPECT_EQ(dims->kind, Kind::bool_list);
  EXPECT_EQ(t.nodes.list(*dims).size(), 2U);
  EXPECT_EQ(t.nodes.positions[0], small_file().find("first") - 5);
}

std::size_t whole_messages(std::string_view bytes) {
  for (std::size_t whole = 0;;) {
    std::size_t at = whole, size = 0;
    for (unsigned shift = 0; at < bytes.size() && shift < 63; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      size |= std::size_t{byte & 0x7fU} << shift;
      if (byte < 0x80) break;
    }
    const bool cut = at == whole || static_cast<signed char>(bytes[at - 1]) < 0 || bytes.size() - at < size;
    if (cut) return whole;
    whole = at + size;
  }
}

// Reads the results of take_encoded() for a file.
std::pair<TraceReader::Taken, std::string> taken_of(const std::string& file, const std::string& format = "chakra") {
  BytesReader reader(file, format);
  Trace head;
  EXPECT_TRUE(reader->next_rank(head));
  std::string all;
  const TraceReader::Taken taken = reader->take_encoded([&](std::string_view shown) -> std::optional<std::size_t> {
    EXPECT_FALSE(shown.empty());
    const std::size_t whole = whole_messages(shown);
    all += shown.substr(0, whole);
    return all.find("enough") == std::string::npos ? std::optional(whole) : std::nullopt;
  });
  return {taken, all};
}

TEST(Chakra, EncodedNodesAreTakenAsTheyStand) {
  using Taken = TraceReader::Taken;
  std::vector<std::string> nodes(3000, varint_field(1, 16) + text_field(2, std::string(50, 'x')));
  nodes.push_back(varint_field(1, 17) + text_field(2, std::string(1'000'000, 'y')));
  nodes.insert(nodes.end(), 300, varint_field(1, 18));
  const std::string head = file_of(text_field(1, "0.0.4"), {}), file = file_of(text_field(1, "0.0.4"), nodes);
  EXPECT_EQ(taken_of(file), std::pair(Taken::all, file.substr(head.size())));
  EXPECT_EQ(taken_of(head), std::pair(Taken::all, std::string()));
  for (const std::size_t cut : {1U, 2U, 3U, 1000U, 500'000U}) {
    const auto [taken, bytes] = taken_of(file.substr(0, file.size() - cut));
    EXPECT_EQ(taken, cut % 3 == 0 ? Taken::all : Taken::some) << cut;
    EXPECT_TRUE(file.substr(head.size()).starts_with(bytes));
  }
  EXPECT_EQ(taken_of(file + std::string(11, '\xff')).first, Taken::some) << "no length";
  EXPECT_EQ(taken_of(file + "\xff\xff\xff\xff\x7f").first, Taken::some) << "too long a message";
  EXPECT_EQ(taken_of(file_of({}, {text_field(2, "enough")}) + file).first, Taken::some);
  EXPECT_EQ(taken_of(recode(file, "chakra", "jsonl", 10), "jsonl").first, Taken::none);
}

TEST(Chakra, CanonicalBytesComeBackForAnyBatchSize) {
  const std::string file = small_file();
  for (const std::size_t batch : {1U, 2U, 3U, 1000U}) EXPECT_EQ(recode(file, "chakra", "chakra", batch), file);
}

TEST(Chakra, TruncationAnywhereIsAnErrorExceptBetweenMessages) {
  const std::string file = small_file();
  std::vector<std::size_t> ends{0};
  for (std::size_t at = 0; at < file.size();) ends.push_back(at += 1 + static_cast<unsigned char>(file[at]));
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::string cut = file.substr(0, size);
    const bool whole = size > 0 && std::find(ends.begin(), ends.end(), size) != ends.end();
    if (whole) {
      EXPECT_EQ(recode(cut, "chakra", "chakra"), cut);
      continue;
    }
    const Error e = recode_error(cut, "chakra");
    EXPECT_EQ(e.kind(), Error::Kind::input);
    EXPECT_EQ(e.where().file, "test.et");
    const auto message_start = *std::prev(std::upper_bound(ends.begin(), ends.end(), size));
    EXPECT_EQ(e.where().offset, static_cast<std::int64_t>(message_start));
    if (size != 0) {
      EXPECT_NE(std::string(e.what()).find("truncated"), std::string::npos) << e.what();
    }
    if (message_start == ends[3]) {
      EXPECT_EQ(e.where().node, 17);
      EXPECT_NE(std::string(e.what()).find("truncated after node 17: a message of"), std::string::npos) << e.what();
    }
  }
}

TEST(Chakra, EmptyFile) {
  EXPECT_NE(std::string(recode_error("", "chakra").what()).find("empty file"), std::string::npos);
  EXPECT_EQ(recode(std::string(1, '\0'), "chakra", "chakra"), std::string(1, '\0'));
}

// Counts the bytes requested from the stream below.
class EndlessLength final : public Input {
 public:
  explicit EndlessLength(std::string bytes) : Input("small.et", std::nullopt), bytes_(std::move(bytes)) {}
  std::size_t largest = 0;

 protected:
  std::size_t fill(char* to, std::size_t n) override {
    largest = std::max(largest, n);
    n = std::min(n, bytes_.size());
    std::copy_n(bytes_.data(), n, to);
    bytes_.erase(0, n);
    return n;
  }

 private:
  std::string bytes_;
};

TEST(Chakra, ClaimedLengthsAreNotAllocated) {
  for (const std::uint64_t claim :
       {std::uint64_t{2'000'000'000}, std::uint64_t{20'000'000'000}, ~std::uint64_t{0}}) {
    std::string bytes = small_file();
    append_varint(bytes, claim);
    bytes += "\x08\x01";
    EndlessLength input(bytes);
    const FormatOptions options;
    Diagnostics diagnostics;
    const auto reader = find_format("chakra").read({input, std::nullopt, options, diagnostics});
    Trace t;
    ASSERT_TRUE(reader->next_rank(t));
    try {
      while (reader->next_nodes(t, 1)) {
      }
      FAIL() << "no error";
    } catch (const Error& e) {
      EXPECT_EQ(e.where().node, 18);
      EXPECT_NE(std::string(e.what()).find(claim > 0x7fffffff ? "limit is 2 GiB" : "has only 2 bytes"),
                std::string::npos)
          << e.what();
    }
    EXPECT_LE(input.largest, std::size_t{1} << 20U);
  }
}

TEST(Chakra, DamageIsLocatedByItsByte) {
  const std::string good = varint_field(1, 7);
  const Error e = recode_error(file_of("", {good, varint_field(1, 8) + "\x12\x7f" + "x"}), "chakra");
  EXPECT_EQ(e.where().offset, 8);
  EXPECT_STREQ(e.what(),
               "malformed message after node 7: a field of 127 bytes, but its message has only 1 bytes left");
}

TEST(Chakra, TextThatIsNotUtf8IsKeptButNotWrittenAsJson) {
  const std::string file = file_of("", {varint_field(1, 7) + text_field(2, "caf\xe9")});
  EXPECT_EQ(recode(file, "chakra", "chakra"), file);
  for (const char* format : {"json", "jsonl"}) {
    const Error e = recode_error(file, "chakra", format);
    EXPECT_STREQ(e.what(), "name of node 7 is not valid UTF-8; it cannot be written as JSON");
    EXPECT_EQ(e.where().node, 7);
    EXPECT_EQ(e.where().offset, 1);
  }
}

TEST(Chakra, MessagesLargerThanABatch) {
  const std::string big = varint_field(1, 1) + text_field(2, std::string(3'000'000, 'x'));
  const std::string file = file_of("", {varint_field(1, 3), big, varint_field(1, 2)});
  EXPECT_TRUE(recode(file, "chakra", "chakra") == file);
}

TEST(Chakra, ManyNamesAndLongNames) {
  std::vector<std::string> nodes;
  for (unsigned i = 0; i < 300; ++i) {
    std::string node = varint_field(1, i + 1);
    for (unsigned k = 0; k < 40; ++k) {
      const std::string name = std::string(k, 'n') + std::to_string((i * 7 + k) % 500);
      node += text_field(10, text_field(1, name) + varint_field(9, i));
    }
    nodes.push_back(node);
  }
  const std::string file = file_of("", nodes);
  EXPECT_TRUE(recode(file, "chakra", "chakra") == file);
}

TEST(ChakraSniff, RecognisesTracesWhoseFirstBytesLookLikeText) {
  const std::string node = varint_field(1, 5) + text_field(2, "n");
  for (const std::size_t size : {123U, 91U, 60U, 10U, 9U, 31U}) {
    std::string metadata = text_field(1, std::string(size - 2, '0'));
    if (size >= 60) {
      metadata = text_field(1, "0.0.4") +
                 text_field(2, text_field(1, "history") + text_field(29, std::string(size - 21, 'x')));
    }
    ASSERT_EQ(metadata.size(), size);
    EXPECT_TRUE(sniffs("chakra", file_of(metadata, {node, node}))) << size;
    EXPECT_TRUE(sniffs("chakra", file_of(metadata, {}))) << size;
    if (size >= 60) {
      EXPECT_TRUE(sniffs("chakra", file_of(metadata, {node}).substr(0, size / 2))) << size;
    }
    EXPECT_FALSE(sniffs("json", file_of(metadata, {node})));
    EXPECT_FALSE(sniffs("jsonl", file_of(metadata, {node})));
  }
  EXPECT_TRUE(sniffs("chakra", std::string(1, '\0')));
  EXPECT_TRUE(sniffs("chakra", file_of("", {node})));
  EXPECT_TRUE(sniffs("chakra", small_file()));
  EXPECT_TRUE(sniffs(
      "chakra", file_of(text_field(2, text_field(1, "input") + text_field(29, std::string(9000, 'x'))), {node})));
}

TEST(ChakraSniff, RecognisesUnusualFirstMessages) {
  const std::string metadata = text_field(1, "0.0.4");
  const std::string node = varint_field(1, 5) + text_field(2, "n");
  EXPECT_TRUE(sniffs("chakra", file_of(metadata, {metadata, node}))) << "metadata twice";
  EXPECT_TRUE(sniffs("chakra", file_of(metadata, {varint_field(7, 5), node}))) << "neither id, name nor type";
  EXPECT_TRUE(sniffs("chakra", file_of(metadata, {text_field(10, text_field(1, "a")) + varint_field(1, 5), node})))
      << "an attribute before the id";
  EXPECT_TRUE(sniffs("chakra", file_of(metadata, {text_field(5, "\x01\x02") + varint_field(1, 5)})));
  EXPECT_FALSE(sniffs("chakra", file_of(metadata, {text_field(11, "x") + varint_field(1, 5)})));
  EXPECT_FALSE(sniffs("chakra", file_of(text_field(7, "x") + metadata, {varint_field(7, 5), node})));
}

TEST(ChakraSniff, LeavesOtherContentAlone) {
  for (const std::string_view other :
       {"", "{\n  \"rank\": 0,\n  \"metadata\": {}, \"nodes\": [{\"id\": 1}] }\n",
        "{\n\t\"schema\": \"1.1.0-chakra.0.0.4\", \"pid\": 1234, \"time\": \"2024-01-01\", \"start_ts\": 1, "
        "\"nodes\": []}",
        "[\n  {\"rank\":0,\"metadata\":{},\"nodes\":[]}\n]\n", "[\n1,2,3]", "<algo name=\"x\" proto=\"Simple\">",
        "<?xml version=\"1.0\"?>\n<algo/>", "<!-- c -->\n<algo/>", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
        "(\xb5/\xfd", "digraph taskgraph {\n}\n", "DATA\n2\n",
        "5\n10 20 30 40 50 60 70 80 90 100 110 120 130 140 150 160\n17\n", "a\nb\nc\nd\n",
        "\n\nhello world, this is text\n", "hello"}) {
    EXPECT_FALSE(sniffs("chakra", other)) << other;
  }
  EXPECT_FALSE(sniffs("chakra", std::string(600, '\0')));
}

}  // namespace
}  // namespace convert::test
