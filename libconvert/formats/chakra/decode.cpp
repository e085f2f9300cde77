// SPDX-License-Identifier: MIT
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "formats/chakra/protobuf.h"
#include "formats/chakra/stream.h"

namespace convert {
namespace {

using protobuf::Cursor;
using protobuf::make_tag;
using protobuf::Malformed;

// Encodings of a scalar in AttributeProto's oneof.
enum class Form : std::uint8_t {
  none,
  int32,
  int64,
  uint32,
  zigzag32,
  zigzag64,
  boolean,
  fixed32,
  sfixed32,
  fixed64,
  text
};

constexpr auto scalar_forms = [] {
  std::array<Form, 33> f{};
  const auto set = [&](Kind k, Form form) { f[static_cast<std::size_t>(k)] = form; };
  set(Kind::double_val, Form::fixed64);
  set(Kind::float_val, Form::fixed32);
  set(Kind::int32_val, Form::int32);
  set(Kind::int64_val, Form::int64);
  set(Kind::uint32_val, Form::uint32);
  set(Kind::uint64_val, Form::int64);
  set(Kind::sint32_val, Form::zigzag32);
  set(Kind::sint64_val, Form::zigzag64);
  set(Kind::fixed32_val, Form::fixed32);
  set(Kind::fixed64_val, Form::fixed64);
  set(Kind::sfixed32_val, Form::sfixed32);
  set(Kind::sfixed64_val, Form::fixed64);
  set(Kind::bool_val, Form::boolean);
  set(Kind::string_val, Form::text);
  set(Kind::bytes_val, Form::text);
  return f;
}();

constexpr std::uint32_t wire_type(Form form) {
  switch (form) {
    case Form::fixed64: return protobuf::fixed64;
    case Form::fixed32:
    case Form::sfixed32: return protobuf::fixed32;
    case Form::text: return protobuf::bytes;
    default: return protobuf::varint;
  }
}

// Form of a scalar by tag of AttributeProto; Form::none for all other fields.
constexpr auto form_of_tag = [] {
  std::array<Form, std::size_t{33} * 8> f{};
  for (std::uint32_t k = 3; k <= 31; k += 2) f[make_tag(k, wire_type(scalar_forms[k]))] = scalar_forms[k];
  return f;
}();

std::uint64_t sign_extend(std::int32_t v) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(v)); }

// Returns the bits that core/trace.h documents for a number of this form.
inline std::uint64_t read_number(Cursor& in, Form form) {
  switch (form) {
    case Form::int64: return in.read_varint();
    case Form::int32: return sign_extend(static_cast<std::int32_t>(in.read_varint()));
    case Form::uint32: return static_cast<std::uint32_t>(in.read_varint());
    case Form::zigzag32: return sign_extend(protobuf::unzigzag32(static_cast<std::uint32_t>(in.read_varint())));
    case Form::zigzag64: return static_cast<std::uint64_t>(protobuf::unzigzag64(in.read_varint()));
    case Form::boolean: return in.read_varint() != 0 ? 1 : 0;
    case Form::fixed32: return in.read_fixed<std::uint32_t>();
    case Form::sfixed32: return sign_extend(in.read_fixed<std::int32_t>());
    case Form::fixed64: return in.read_fixed<std::uint64_t>();
    default: return 0;
  }
}

// Masks that keep the first n of 32 bytes.
constexpr auto masks = [] {
  std::array<std::array<std::uint64_t, 4>, 33> m{};
  for (std::size_t n = 0; n <= 32; ++n) {
    for (std::size_t i = 0; i < n; ++i) m[n][i / 8] |= std::uint64_t{0xff} << (8 * (i % 8));
  }
  return m;
}();

constexpr std::size_t seen_size = 256;
constexpr std::size_t predicted_size = 32;

Text append_text(AttrTable& to, std::string_view s) { return s.empty() ? Text{} : to.add_text(s); }

Name intern(std::string_view text) {
  try {
    return Name(text);
  } catch (const Error& e) {  // too many names: add the offset
    throw Malformed{text.data(), e.what()};
  }
}

}  // namespace

ChakraDecoder::ChakraDecoder(std::string file)
    : file_(std::move(file)), seen_(seen_size), predicted_(predicted_size) {}

void ChakraDecoder::metadata(std::string_view message, std::uint64_t offset, Metadata& to) {
  readable_end_ = message.data() + message.size();
  try {
    decode_metadata(Cursor(message), to);
  } catch (const Malformed& e) {
    throw input_error({.file = file_, .offset = static_cast<std::int64_t>(offset) + (e.at - message.data())},
                      "malformed metadata: " + e.what);
  }
}

void ChakraDecoder::node(std::string_view message, std::size_t slack, std::uint64_t offset, NodeTable& to) {
  readable_end_ = message.data() + message.size() + slack;
  try {
    decode_node(Cursor(message), to);
  } catch (const Malformed& e) {
    throw input_error(
        {.file = file_, .offset = static_cast<std::int64_t>(offset) + (e.at - message.data())},
        (any_node_ ? "malformed message after node " + std::to_string(last_id_) : "malformed first node") + ": " +
            e.what);
  }
  any_node_ = true;
  last_id_ = to.nodes.back().id;
}

void ChakraDecoder::decode_metadata(Cursor in, Metadata& to) {
  to.table.clear();
  to.version.clear();
  to.unknown.clear();
  while (!in.done()) {
    const std::uint32_t tag = in.read_tag();
    switch (tag) {
      case make_tag(1, protobuf::bytes): to.version = in.read_bytes(); break;
      case make_tag(2, protobuf::bytes): decode_attr(Cursor(in.read_bytes()), to.table); break;
      default: protobuf::copy_field(in, tag, protobuf::max_depth, to.unknown);
    }
  }
}

void ChakraDecoder::decode_node(Cursor in, NodeTable& to) {
  Node n;
  n.attrs.begin = static_cast<std::uint32_t>(to.attrs.size());
  n.ctrl_deps.begin = n.data_deps.begin = static_cast<std::uint32_t>(to.deps.size());
  late_ctrl_deps_.clear();
  std::size_t position = 0;
  const auto add_ctrl = [&](NodeId id) {
    (n.data_deps.count == 0 ? to.deps : late_ctrl_deps_).push_back(id);
    n.ctrl_deps.count += n.data_deps.count == 0 ? 1 : 0;
  };
  const auto add_data = [&](NodeId id) {
    if (n.data_deps.count++ == 0) n.data_deps.begin = static_cast<std::uint32_t>(to.deps.size());
    to.deps.push_back(id);
  };
  const auto io = [&](std::uint32_t& index, std::string& unknown, std::string_view message) {
    if (index == 0) {
      to.io.emplace_back();
      index = static_cast<std::uint32_t>(to.io.size());
    }
    decode_io(Cursor(message), to.io[index - 1], to, unknown);
  };
  while (!in.done()) {
    const std::uint32_t tag = in.read_tag();
    switch (tag) {
      case make_tag(10, protobuf::bytes): {
        const Cursor attr(in.read_bytes());
        if (!decode_plain_attr(attr, position++, to)) decode_attr(attr, to);
        break;
      }
      case make_tag(1, protobuf::varint): n.id = in.read_varint(); break;
      case make_tag(2, protobuf::bytes): n.name = append_text(to, in.read_bytes()); break;
      case make_tag(3, protobuf::varint): n.type = NodeType{static_cast<std::int32_t>(in.read_varint())}; break;
      case make_tag(4, protobuf::varint): add_ctrl(in.read_varint()); break;
      case make_tag(4, protobuf::bytes):
        for (Cursor list(in.read_bytes()); !list.done();) add_ctrl(list.read_varint());
        break;
      case make_tag(5, protobuf::varint): add_data(in.read_varint()); break;
      case make_tag(5, protobuf::bytes):
        for (Cursor list(in.read_bytes()); !list.done();) add_data(list.read_varint());
        break;
      case make_tag(6, protobuf::varint): n.start_us = in.read_varint(); break;
      case make_tag(7, protobuf::varint): n.duration_us = in.read_varint(); break;
      case make_tag(8, protobuf::bytes): io(n.inputs, inputs_unknown_, in.read_bytes()); break;
      case make_tag(9, protobuf::bytes): io(n.outputs, outputs_unknown_, in.read_bytes()); break;
      default: protobuf::copy_field(in, tag, protobuf::max_depth, node_unknown_);
    }
  }
  if (!late_ctrl_deps_.empty()) {  // insert after the early ones, before the data dependencies
    to.deps.insert(to.deps.begin() + n.ctrl_deps.begin + n.ctrl_deps.count, late_ctrl_deps_.begin(),
                   late_ctrl_deps_.end());
    n.ctrl_deps.count += static_cast<std::uint32_t>(late_ctrl_deps_.size());
    n.data_deps.begin += static_cast<std::uint32_t>(late_ctrl_deps_.size());
  }
  keep_unknown(n, to);
  to.nodes.push_back(n);
  to.end_node();
}

void ChakraDecoder::keep_unknown(Node& n, NodeTable& to) {
  if (!inputs_unknown_.empty()) to.io[n.inputs - 1].unknown = to.add_text(std::exchange(inputs_unknown_, {}));
  if (!outputs_unknown_.empty()) to.io[n.outputs - 1].unknown = to.add_text(std::exchange(outputs_unknown_, {}));
  if (!node_unknown_.empty()) {
    Extra extra;
    extra.unknown = to.add_text(std::exchange(node_unknown_, {}));
    to.extras.push_back(extra);
    n.extra = static_cast<std::uint32_t>(to.extras.size());
  }
}

void ChakraDecoder::decode_io(Cursor in, IoInfo& io, NodeTable& to, std::string& unknown) {
  while (!in.done()) {
    const std::uint32_t tag = in.read_tag();
    switch (tag) {
      case make_tag(1, protobuf::bytes): io.values = append_text(to, in.read_bytes()); break;
      case make_tag(2, protobuf::bytes): io.shapes = append_text(to, in.read_bytes()); break;
      case make_tag(3, protobuf::bytes): io.types = append_text(to, in.read_bytes()); break;
      default: protobuf::copy_field(in, tag, protobuf::max_depth - 1, unknown);
    }
  }
}

// Returns the first `size` of 32 bytes, padded with zeros.
inline std::array<std::uint64_t, 4> load_words(const char* p, std::size_t size) {
  std::array<std::uint64_t, 4> w;
  std::memcpy(w.data(), p, sizeof w);
  for (std::size_t i = 0; i < 4; ++i) w[i] &= masks[size][i];
  return w;
}

inline bool same_words(const std::array<std::uint64_t, 4>& a, const std::array<std::uint64_t, 4>& b) {
  return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) == 0;
}

// Called if the prediction failed: finds the name among all seen names, or interns it.
void ChakraDecoder::remember_name(SeenName& predicted, const Cursor& at, std::size_t size) {
  const auto w = load_words(at.p, size);
  std::uint64_t hash = 0;
  for (const std::uint64_t word : w) hash = std::rotl((hash ^ word) * 0x9e3779b97f4a7c15U, 29);
  SeenName& seen = seen_[hash % seen_size];
  if (!same_words(seen.words, w)) {
    seen.name = intern(std::string_view(at.p + 2, size - 2));
    seen.words = w;
  }
  predicted = seen;
}

// Almost every attribute begins with a short name that the previous node has in the same position. Compares 32
// bytes with that name instead of hashing the text and locking the pool of names. Moves after the name if it is
// short enough.
inline bool ChakraDecoder::match_name(Cursor& in, SeenName& predicted) {
  if (readable_end_ - in.p < 32 || in.end - in.p < 2) return false;
  const std::size_t size = static_cast<unsigned char>(in.p[1]) + std::size_t{2};
  if (in.p[0] != make_tag(1, protobuf::bytes) || size > 32 || static_cast<std::size_t>(in.end - in.p) < size)
    return false;
  if (!same_words(load_words(in.p, size), predicted.words)) remember_name(predicted, in, size);
  in.p += size;
  return true;
}

// Decodes the usual attribute: a short name and one scalar only. Returns false, without effects, for any other.
inline bool ChakraDecoder::decode_plain_attr(Cursor in, std::size_t position, AttrTable& to) {
  SeenName& predicted = predicted_[position % predicted_size];
  if (!match_name(in, predicted) || in.done()) return false;
  const std::uint32_t tag = in.read_tag();
  const Form form = tag < form_of_tag.size() ? form_of_tag[tag] : Form::none;
  if (form == Form::none) return false;
  std::uint64_t bits = 0;
  std::uint32_t size = 0;
  if (form == Form::text) {
    const std::string_view value = in.read_bytes();
    if (!in.done()) return false;
    const Text t = to.add_text(value);
    bits = t.offset;
    size = t.size;
  } else {
    bits = read_number(in, form);
    if (!in.done()) return false;
  }
  Attr& a = to.attrs.emplace_back();
  a.name = predicted.name;
  a.kind = static_cast<Kind>(tag >> 3U);
  a.size = size;
  a.bits = bits;
  return true;
}

// Removes the list of the value, which another member of the oneof replaces.
void ChakraDecoder::drop_list(Attr& a, AttrTable& to) {
  if (is_text(a.kind)) {
    to.texts.resize(a.bits);
  } else {
    to.numbers.resize(a.bits);
  }
  list_unknown_.clear();
}

void ChakraDecoder::decode_attr(Cursor in, AttrTable& to) {
  Attr a;
  Text doc_string;
  while (!in.done()) {
    const std::uint32_t tag = in.read_tag();
    const Form form = tag < form_of_tag.size() ? form_of_tag[tag] : Form::none;
    const auto kind = static_cast<Kind>(tag >> 3U);
    if (form != Form::none) {
      if (is_list(a.kind)) drop_list(a, to);
      a.kind = kind;
      if (form == Form::text) {
        const Text t = to.add_text(in.read_bytes());
        a.bits = t.offset;
        a.size = t.size;
      } else {
        a.size = 0;
        a.bits = read_number(in, form);
      }
    } else if (tag == make_tag(1, protobuf::bytes)) {
      a.name = intern(in.read_bytes());
    } else if (tag == make_tag(2, protobuf::bytes)) {
      doc_string = append_text(to, in.read_bytes());
    } else if (tag / 8 >= 4 && tag / 8 <= 32 && is_list(kind) && (tag & 7U) == protobuf::bytes) {
      if (a.kind != kind) {
        if (is_list(a.kind)) drop_list(a, to);
        a.kind = kind;
        a.size = 0;
        a.bits = is_text(kind) ? to.texts.size() : to.numbers.size();
      }
      decode_list(Cursor(in.read_bytes()), a, to);
    } else {
      protobuf::copy_field(in, tag, protobuf::max_depth - 1, attr_unknown_);
    }
  }
  if (doc_string.size != 0 || !attr_unknown_.empty() || !list_unknown_.empty()) {
    to.extras.push_back({.doc_string = doc_string,
                         .unknown = to.add_text(std::exchange(attr_unknown_, {})),
                         .list_unknown = to.add_text(std::exchange(list_unknown_, {}))});
    a.extra = static_cast<std::uint32_t>(to.extras.size());
  }
  to.attrs.push_back(a);
}

void ChakraDecoder::decode_list(Cursor in, Attr& a, AttrTable& to) {
  const Form form = scalar_forms[static_cast<std::size_t>(scalar_of(a.kind))];
  const std::uint32_t one = make_tag(1, wire_type(form));
  while (!in.done()) {
    const std::uint32_t tag = in.read_tag();
    if (form == Form::text && tag == one) {
      to.texts.push_back(to.add_text(in.read_bytes()));
      ++a.size;
    } else if (tag == one) {
      to.numbers.push_back(read_number(in, form));
      ++a.size;
    } else if (tag == make_tag(1, protobuf::bytes)) {
      for (Cursor packed(in.read_bytes()); !packed.done(); ++a.size)
        to.numbers.push_back(read_number(packed, form));
    } else {
      protobuf::copy_field(in, tag, protobuf::max_depth - 2, list_unknown_);
    }
  }
}

}  // namespace convert
