// SPDX-License-Identifier: MIT
// The codec compared with libprotobuf: both read and write the same messages, bit for bit.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "et_def.pb.h"
#include "quiet_stderr.h"
#include "recode.h"
#include "sanitized.h"
#include "util/utf8.h"

namespace convert::test {
namespace {

using ChakraProtoMsg::AttributeProto;

// Random but repeatable: small values, extreme values and values between.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  std::uint64_t bits() { return below(8) == 0 ? ~std::uint64_t{0} >> below(64) : engine_() >> below(64); }
  std::int64_t number() { return static_cast<std::int64_t>(one_in(3) ? 0 - bits() : bits()); }
  std::string text() {
    std::string s(below(8) == 0 ? below(300) : below(12), ' ');
    for (char& c : s) c = static_cast<char>('!' + below(90));
    return s;
  }

 private:
  std::mt19937_64 engine_;
};

void fill_attr(Dice& dice, AttributeProto& a) {
  if (!dice.one_in(10)) a.set_name(dice.one_in(3) ? dice.text() : "name_" + std::to_string(dice.below(8)));
  if (dice.one_in(8)) a.set_doc_string(dice.text());
  const auto times = dice.one_in(20) ? dice.below(200) : dice.below(4);
  const auto repeat = [&](auto add) {
    for (std::uint64_t i = 0; i < times; ++i) add();
  };
  const auto f64 = [&] { return std::bit_cast<double>(dice.bits()); };
  const auto f32 = [&] { return std::bit_cast<float>(static_cast<std::uint32_t>(dice.bits())); };
  const auto i32 = [&] { return static_cast<std::int32_t>(dice.number()); };
  const auto u32 = [&] { return static_cast<std::uint32_t>(dice.bits()); };
  switch (2 + dice.below(31)) {
    case 3: a.set_double_val(f64()); break;
    case 4:
      a.mutable_double_list();
      repeat([&] { a.mutable_double_list()->add_values(f64()); });
      break;
    case 5: a.set_float_val(f32()); break;
    case 6:
      a.mutable_float_list();
      repeat([&] { a.mutable_float_list()->add_values(f32()); });
      break;
    case 7: a.set_int32_val(i32()); break;
    case 8:
      a.mutable_int32_list();
      repeat([&] { a.mutable_int32_list()->add_values(i32()); });
      break;
    case 9: a.set_int64_val(dice.number()); break;
    case 10:
      a.mutable_int64_list();
      repeat([&] { a.mutable_int64_list()->add_values(dice.number()); });
      break;
    case 11: a.set_uint32_val(u32()); break;
    case 12:
      a.mutable_uint32_list();
      repeat([&] { a.mutable_uint32_list()->add_values(u32()); });
      break;
    case 13: a.set_uint64_val(dice.bits()); break;
    case 14:
      a.mutable_uint64_list();
      repeat([&] { a.mutable_uint64_list()->add_values(dice.bits()); });
      break;
    case 15: a.set_sint32_val(i32()); break;
    case 16:
      a.mutable_sint32_list();
      repeat([&] { a.mutable_sint32_list()->add_values(i32()); });
      break;
    case 17: a.set_sint64_val(dice.number()); break;
    case 18:
      a.mutable_sint64_list();
      repeat([&] { a.mutable_sint64_list()->add_values(dice.number()); });
      break;
    case 19: a.set_fixed32_val(u32()); break;
    case 20:
      a.mutable_fixed32_list();
      repeat([&] { a.mutable_fixed32_list()->add_values(u32()); });
      break;
    case 21: a.set_fixed64_val(dice.bits()); break;
    case 22:
      a.mutable_fixed64_list();
      repeat([&] { a.mutable_fixed64_list()->add_values(dice.bits()); });
      break;
    case 23: a.set_sfixed32_val(i32()); break;
    case 24:
      a.mutable_sfixed32_list();
      repeat([&] { a.mutable_sfixed32_list()->add_values(i32()); });
      break;
    case 25: a.set_sfixed64_val(dice.number()); break;
    case 26:
      a.mutable_sfixed64_list();
      repeat([&] { a.mutable_sfixed64_list()->add_values(dice.number()); });
      break;
    case 27: a.set_bool_val(dice.one_in(2)); break;
    case 28:
      a.mutable_bool_list();
      repeat([&] { a.mutable_bool_list()->add_values(dice.one_in(2)); });
      break;
    case 29: a.set_string_val(dice.text()); break;
    case 30:
      a.mutable_string_list();
      repeat([&] { a.mutable_string_list()->add_values(dice.text()); });
      break;
    case 31: a.set_bytes_val("\xff\x80" + dice.text()); break;
    case 32:
      a.mutable_bytes_list();
      repeat([&] { a.mutable_bytes_list()->add_values(dice.text() + '\0'); });
      break;
    default: break;  // oneof not set
  }
  if (dice.one_in(10)) {
    auto* unknown = a.GetReflection()->MutableUnknownFields(&a);
    unknown->AddVarint(33, dice.bits());
    unknown->AddLengthDelimited(40, dice.text());
    if (dice.one_in(2)) unknown->AddGroup(50)->AddFixed64(51, dice.bits());
  }
}

ChakraProtoMsg::Node random_node(Dice& dice) {
  ChakraProtoMsg::Node n;
  n.set_id(dice.bits() | 1);
  if (!dice.one_in(4)) n.set_name(dice.text());
  n.set_type(
      static_cast<ChakraProtoMsg::NodeType>(dice.one_in(5) ? dice.number() : static_cast<int>(dice.below(8))));
  for (auto i = dice.below(4); i > 0; --i) n.add_ctrl_deps(dice.bits());
  for (auto i = dice.below(4); i > 0; --i) n.add_data_deps(dice.bits());
  if (dice.one_in(2)) n.set_start_time_micros(dice.bits());
  if (dice.one_in(2)) n.set_duration_micros(dice.bits());
  if (dice.one_in(3)) n.mutable_inputs()->set_values(dice.text());
  if (dice.one_in(3)) n.mutable_outputs()->set_types(dice.text());
  if (dice.one_in(6)) n.mutable_outputs()->set_shapes(dice.text());
  for (auto i = dice.below(22); i > 0; --i) fill_attr(dice, *n.add_attr());
  if (dice.one_in(10)) n.GetReflection()->MutableUnknownFields(&n)->AddFixed32(77, 5);
  return n;
}

TEST(ChakraDifferential, RandomMessagesComeBackBitForBit) {
  Dice dice(1);
  for (int round = 0; round < test::rounds(200); ++round) {
    ChakraProtoMsg::GlobalMetadata metadata;
    metadata.set_version(dice.text());
    for (auto i = dice.below(3); i > 0; --i) fill_attr(dice, *metadata.add_attr());
    std::string file;
    append_message(file, metadata.SerializeAsString());
    for (int i = 0; i < 30; ++i) append_message(file, random_node(dice).SerializeAsString());
    ASSERT_EQ(recode(file, "chakra", "chakra", 1 + dice.below(20)), file) << "round " << round;
    ASSERT_EQ(recode(recode(file, "chakra", "json"), "json", "chakra"), file) << "round " << round;
    ASSERT_EQ(recode(recode(file, "chakra", "jsonl"), "jsonl", "chakra", 7), file) << "round " << round;
  }
}

// Messages that no sane writer produces.
class WildWriter {
 public:
  explicit WildWriter(Dice& dice) : dice_(dice) {}

  enum class Kind { node, metadata, io, attr, list };

  std::string message(Kind kind, int list_of = 0) {
    std::string out;
    for (auto i = dice_.below(kind == Kind::node ? 12 : 5); i > 0; --i) field(kind, list_of, out);
    return out;
  }

 private:
  void varint(std::string& out, std::uint64_t v, std::size_t max_size = 10) {
    std::string digits;
    append_varint(digits, v);
    for (auto pad = dice_.one_in(6) ? dice_.below(4) : 0; pad > 0 && digits.size() < max_size; --pad) {
      digits.back() = static_cast<char>(static_cast<unsigned char>(digits.back()) | 0x80U);
      digits += '\0';
    }
    out += digits;
  }

  void value(std::string& out, std::uint32_t number, std::uint32_t type, const std::string& bytes) {
    varint(out, number << 3U | type, 5);
    switch (type) {
      case 0: varint(out, dice_.bits()); break;
      case 1: out += std::string(8, static_cast<char>(dice_.below(256))); break;
      case 2:
        varint(out, bytes.size(), 5);
        out += bytes;
        break;
      case 3: {
        for (auto i = dice_.below(3); i > 0; --i)
          value(out, 1 + static_cast<std::uint32_t>(dice_.below(40)), static_cast<std::uint32_t>(dice_.below(4)),
                dice_.text());
        varint(out, (dice_.one_in(30) ? number + 1 : number) << 3U | 4U, 5);
        break;
      }
      case 5: out += std::string(4, static_cast<char>(dice_.below(256))); break;
      default: break;  // a stray end of a group, or an invalid field type
    }
  }

  std::string packed(int scalar) {
    std::string out;
    const std::uint32_t width = fixed_width(scalar);
    for (auto i = dice_.below(4); i > 0; --i) {
      if (width != 0) {
        out += std::string(width, static_cast<char>(dice_.below(256)));
      } else {
        varint(out, dice_.bits());
      }
    }
    if (dice_.one_in(40)) out += '\x80';
    return out;
  }

  static std::uint32_t fixed_width(int scalar) {
    if (scalar == 3 || scalar == 21 || scalar == 25) return 8;
    return scalar == 5 || scalar == 19 || scalar == 23 ? 4 : 0;
  }
  static std::uint32_t scalar_type(int scalar) {
    if (scalar >= 29) return 2;
    return fixed_width(scalar) == 8 ? 1 : fixed_width(scalar) == 4 ? 5 : 0;
  }

  void field(Kind kind, int list_of, std::string& out) {
    if (dice_.one_in(12)) {  // wrong type or unknown number; sometimes one that every parser must reject
      const std::uint32_t type = dice_.one_in(20) ? 4 + 2 * static_cast<std::uint32_t>(dice_.below(2))
                                                  : static_cast<std::uint32_t>(dice_.below(4));
      const auto number = static_cast<std::uint32_t>(dice_.below(dice_.one_in(50) ? 1U << 29U : 40U));
      value(out, number == 0 && !dice_.one_in(5) ? 1 : number, type, dice_.text());
      return;
    }
    switch (kind) {
      case Kind::metadata:
        if (dice_.one_in(2)) return value(out, 1, 2, dice_.text());
        return value(out, 2, 2, message(Kind::attr));
      case Kind::io: return value(out, 1 + static_cast<std::uint32_t>(dice_.below(3)), 2, dice_.text());
      case Kind::node: {
        const auto number = 1 + static_cast<std::uint32_t>(dice_.below(10));
        if (number == 2) return value(out, 2, 2, dice_.text());
        if (number == 4 || number == 5) return value(out, number, dice_.one_in(2) ? 0 : 2, packed(7));
        if (number == 8 || number == 9) return value(out, number, 2, message(Kind::io));
        if (number == 10) return value(out, 10, 2, message(Kind::attr));
        return value(out, number, 0, {});
      }
      case Kind::attr: {
        if (dice_.one_in(4)) return value(out, 1, 2, dice_.text());
        if (dice_.one_in(8)) return value(out, 2, 2, dice_.text());
        if (!dice_.one_in(4)) last_ = 3 + static_cast<int>(dice_.below(30));  // else the same member again
        if (last_ % 2 == 0) return value(out, static_cast<std::uint32_t>(last_), 2, message(Kind::list, last_ - 1));
        return value(out, static_cast<std::uint32_t>(last_), scalar_type(last_), dice_.text());
      }
      case Kind::list:
        if (list_of >= 29) return value(out, 1, 2, dice_.text());
        if (dice_.one_in(2)) return value(out, 1, 2, packed(list_of));
        return value(out, 1, scalar_type(list_of), {});
    }
  }

  Dice& dice_;
  int last_ = 7;
};

// Result of libprotobuf for a file, or nothing if it rejects a message.
std::optional<std::string> oracle(const std::string& metadata_bytes, const std::vector<std::string>& nodes) {
  std::string out;
  ChakraProtoMsg::GlobalMetadata metadata;
  if (!metadata.ParseFromString(metadata_bytes)) return std::nullopt;
  append_message(out, metadata.SerializeAsString());
  for (const std::string& bytes : nodes) {
    ChakraProtoMsg::Node node;
    if (!node.ParseFromString(bytes)) return std::nullopt;
    append_message(out, node.SerializeAsString());
  }
  return out;
}

TEST(ChakraDifferential, WildMessagesBecomeWhatLibprotobufWrites) {
  Dice dice(2);
  WildWriter wild(dice);
  int accepted = 0;
  int refused = 0;
  for (int round = 0; round < test::rounds(6'000); ++round) {
    const std::string metadata = wild.message(WildWriter::Kind::metadata);
    const std::vector<std::string> nodes{wild.message(WildWriter::Kind::node),
                                         wild.message(WildWriter::Kind::node)};
    std::string file;
    append_message(file, metadata);
    for (const std::string& n : nodes) append_message(file, n);
    const auto expected = oracle(metadata, nodes);
    std::optional<std::string> actual;
    std::string error;
    try {
      actual = recode(file, "chakra", "chakra");
    } catch (const Error& e) {
      error = e.what();
    }
    (expected ? accepted : refused) += 1;
    ASSERT_EQ(actual.has_value(), expected.has_value()) << "round " << round << ": " << error;
    if (!expected) continue;
    ASSERT_EQ(*actual, *expected) << "round " << round;
    ASSERT_EQ(recode(recode(file, "chakra", "json"), "json", "chakra"), *expected) << "round " << round;
  }
  EXPECT_GT(accepted, test::rounds(1500));
  EXPECT_GT(refused, test::rounds(600));
}

TEST(ChakraDifferential, DamagedMessagesAreRefusedOrReadAlike) {
  const QuietStderr quiet;  // it reports text that is not UTF-8
  Dice dice(3);
  for (int round = 0; round < test::rounds(20'000); ++round) {
    std::string bytes = random_node(dice).SerializeAsString();
    for (auto flips = 1 + dice.below(3); flips > 0; --flips)
      bytes[dice.below(bytes.size())] = static_cast<char>(dice.below(256));
    std::string file(1, '\0');
    append_message(file, bytes);
    const auto expected = oracle({}, {bytes});
    try {
      const std::string actual = recode(file, "chakra", "chakra");
      if (expected) {
        ASSERT_EQ(actual, *expected) << "round " << round;
      } else {  // the only reason to accept a message that libprotobuf rejects
        ASSERT_NE(find_invalid_utf8(bytes), std::string::npos) << "round " << round;
      }
    } catch (const Error& e) {
      ASSERT_FALSE(expected) << "round " << round << ": " << e.what();
    }
  }
}

TEST(ChakraDifferential, DepthLimitOfGroups) {
  for (const int depth : {99, 100, 101}) {
    std::string bytes;
    for (int i = 0; i < depth; ++i) append_varint(bytes, 20U << 3U | 3U);
    for (int i = 0; i < depth; ++i) append_varint(bytes, 20U << 3U | 4U);
    std::string attr;
    append_varint(attr, 10U << 3U | 2U);
    append_message(attr, bytes);
    for (const std::string& node : {bytes, attr}) {
      std::string file(1, '\0');
      append_message(file, node);
      const auto expected = oracle({}, {node});
      if (expected) {
        EXPECT_EQ(recode(file, "chakra", "chakra"), *expected) << depth;
      } else {
        EXPECT_NE(std::string(recode_error(file, "chakra").what()).find("groups nested"), std::string::npos)
            << depth;
      }
    }
  }
}

}  // namespace
}  // namespace convert::test
