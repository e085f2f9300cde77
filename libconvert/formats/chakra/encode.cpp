// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>

#include "formats/chakra/protobuf.h"
#include "formats/chakra/stream.h"

namespace convert {
namespace {

using protobuf::make_tag;
using protobuf::put_fixed;
using protobuf::put_text;
using protobuf::put_varint;
using protobuf::varint_size;

constexpr std::size_t flush_size = std::size_t{64} << 10U;
constexpr char metadata_attr = static_cast<char>(make_tag(2, protobuf::bytes));
constexpr char node_attr = static_cast<char>(make_tag(10, protobuf::bytes));
constexpr std::size_t scalar_room = 64;  // exceeds any attribute with a short name and a scalar

// Returns the encoded bits of a number: the value of a varint, or the contents of a fixed-width field.
inline std::uint64_t wire_bits(Kind scalar, std::uint64_t bits) {
  if (scalar == Kind::sint64_val) return protobuf::zigzag64(static_cast<std::int64_t>(bits));
  if (scalar == Kind::sint32_val) return protobuf::zigzag32(static_cast<std::int32_t>(bits));
  if (scalar == Kind::bool_val) return bits != 0 ? 1 : 0;
  return bits;
}

// Returns 8 or 4 for fixed-width kinds, 0 for varints.
constexpr std::uint32_t fixed_width(Kind scalar) {
  switch (scalar) {
    case Kind::double_val:
    case Kind::fixed64_val:
    case Kind::sfixed64_val: return 8;
    case Kind::float_val:
    case Kind::fixed32_val:
    case Kind::sfixed32_val: return 4;
    default: return 0;
  }
}

inline char* put_number(char* at, std::uint32_t width, std::uint64_t bits) {
  if (width == 0) return put_varint(at, bits);
  if (width == 8) return put_fixed(at, bits);
  return put_fixed(at, static_cast<std::uint32_t>(bits));
}

char* put_field(char* at, std::uint32_t field, std::string_view text) {
  at = put_varint(at, make_tag(field, protobuf::bytes));
  at = put_varint(at, text.size());
  return put_text(at, text);
}

// Returns the size of a length-delimited field, including tag and length.
std::uint64_t field_size(std::uint32_t field, std::uint64_t size) {
  return varint_size(make_tag(field, protobuf::bytes)) + varint_size(size) + size;
}
std::uint64_t optional_size(std::uint32_t field, std::uint64_t size) {
  return size == 0 ? 0 : field_size(field, size);
}

// Returns the size of the values in a list message; for a packed list, without tag and length.
std::uint64_t values_size(const AttrTable& table, const Attr& a) {
  std::uint64_t size = 0;
  if (is_text(a.kind)) {
    for (const Text& t : table.string_list(a)) size += field_size(1, t.size);
    return size;
  }
  const Kind scalar = scalar_of(a.kind);
  if (const std::uint32_t width = fixed_width(scalar); width != 0) return std::uint64_t{width} * a.size;
  for (const std::uint64_t bits : table.list(a)) size += varint_size(wire_bits(scalar, bits));
  return size;
}

void check_size(std::uint64_t size) {
  if (size > max_chakra_message)
    throw input_error({}, "a node or attribute of 2 GiB or more cannot be written as Chakra");
}

}  // namespace

// Ensures room for at least n bytes at `at`, a position in buffer_; returns the position, which may move.
inline char* ChakraEncoder::reserve(char* at, std::size_t n) {
  const auto used = static_cast<std::size_t>(at - buffer_.get());
  if (capacity_ - used >= n) [[likely]]
    return at;
  const std::size_t capacity = std::max(used + n, 2 * capacity_);
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  if (used != 0) std::memcpy(larger.get(), buffer_.get(), used);
  buffer_ = std::move(larger);
  capacity_ = capacity;
  return buffer_.get() + used;
}

void ChakraEncoder::learn_name(Name name) {
  if (name.index() >= names_.size()) names_.resize(name.index() + std::size_t{1});
  KnownName& known = names_[name.index()];
  const std::string_view text = name.view();
  if (text.size() > known.bytes.size() - 2) {
    known.size = KnownName::too_long;
  } else {
    known.size =
        text.empty() ? 0 : static_cast<std::uint32_t>(put_field(known.bytes.data(), 1, text) - known.bytes.data());
  }
}

// The length precedes a message but is known only after it; it nearly always takes as many bytes as the previous
// one.
inline char* ChakraEncoder::begin_message(char* at) {
  at = reserve(at, 16) + length_size_;
  body_ = static_cast<std::size_t>(at - buffer_.get());
  return at;
}

inline char* ChakraEncoder::end_message(char* at) {
  char* body = buffer_.get() + body_;
  const auto size = static_cast<std::size_t>(at - body);
  check_size(size);
  const std::size_t length_size = varint_size(size);
  if (length_size != length_size_) [[unlikely]] {
    (void)reserve(at, 16);
    body = buffer_.get() + body_;
    std::memmove(body + length_size - length_size_, body, size);
    body += static_cast<std::ptrdiff_t>(length_size) - static_cast<std::ptrdiff_t>(length_size_);
    length_size_ = length_size;
  }
  put_varint(body - length_size, size);
  return body + size;
}

void ChakraEncoder::flush(char* at, std::string& out) { out.append(buffer_.get(), at); }

void ChakraEncoder::metadata(const Metadata& m, std::string& out) {
  char* at = begin_message(buffer_.get());
  if (!m.version.empty()) at = put_field(reserve(at, m.version.size() + 16), 1, m.version);
  at = put_attrs(at, metadata_attr, m.table, m.table.attrs);
  at = put_text(reserve(at, m.unknown.size()), m.unknown);
  flush(end_message(at), out);
}

void ChakraEncoder::nodes(const NodeTable& table, std::string& out) {
  char* at = buffer_.get();
  for (const Node& node : table.nodes) {
    at = end_message(put_node(begin_message(at), table, node));
    if (static_cast<std::size_t>(at - buffer_.get()) >= flush_size) {
      flush(at, out);
      at = buffer_.get();
    }
  }
  flush(at, out);
}

char* ChakraEncoder::put_node(char* at, const NodeTable& table, const Node& node) {
  at = reserve(at, node.name.size + std::size_t{64});
  if (node.id != 0) at = put_varint(put_varint(at, make_tag(1, protobuf::varint)), node.id);
  if (node.name.size != 0) at = put_field(at, 2, table.name(node));
  if (const auto type = static_cast<std::int64_t>(node.type); type != 0) {
    at = put_varint(put_varint(at, make_tag(3, protobuf::varint)), static_cast<std::uint64_t>(type));
  }
  at = put_deps(at, 4, table.ctrl_deps(node));
  at = put_deps(at, 5, table.data_deps(node));
  at = reserve(at, 32);
  if (node.start_us != 0) at = put_varint(put_varint(at, make_tag(6, protobuf::varint)), node.start_us);
  if (node.duration_us != 0) at = put_varint(put_varint(at, make_tag(7, protobuf::varint)), node.duration_us);
  if (node.inputs != 0) at = put_io(at, 8, table, table.io[node.inputs - 1]);
  if (node.outputs != 0) at = put_io(at, 9, table, table.io[node.outputs - 1]);
  at = put_attrs(at, node_attr, table, table.attributes(node));
  if (node.extra != 0) {
    const Text& unknown = table.extras[node.extra - 1].unknown;
    at = put_text(reserve(at, unknown.size), table.view(unknown));
  }
  return at;
}

char* ChakraEncoder::put_deps(char* at, std::uint32_t field, std::span<const NodeId> deps) {
  if (deps.empty()) return at;
  std::uint64_t size = 0;
  for (const NodeId id : deps) size += varint_size(id);
  check_size(size);
  at = reserve(at, size + 16);
  at = put_varint(put_varint(at, make_tag(field, protobuf::bytes)), size);
  for (const NodeId id : deps) at = put_varint(at, id);
  return at;
}

char* ChakraEncoder::put_io(char* at, std::uint32_t field, const NodeTable& table, const IoInfo& io) {
  const std::uint64_t size = optional_size(1, io.values.size) + optional_size(2, io.shapes.size) +
                             optional_size(3, io.types.size) + io.unknown.size;
  check_size(size);
  at = reserve(at, size + 16);
  at = put_varint(put_varint(at, make_tag(field, protobuf::bytes)), size);
  if (io.values.size != 0) at = put_field(at, 1, table.view(io.values));
  if (io.shapes.size != 0) at = put_field(at, 2, table.view(io.shapes));
  if (io.types.size != 0) at = put_field(at, 3, table.view(io.types));
  return put_text(at, table.view(io.unknown));
}

char* ChakraEncoder::put_attrs(char* at, char tag, const AttrTable& table, std::span<const Attr> attrs) {
  for (const Attr& a : attrs) {
    const KnownName& name = known_name(a.name);
    const bool small = a.extra == 0 && name.size <= name.bytes.size() && !is_list(a.kind) && a.kind != Kind::none &&
                       !is_text(a.kind);
    if (!small) [[unlikely]] {
      at = put_large_attr(at, tag, table, a);
      continue;
    }
    // A number takes fewer than 128 bytes, so its length is one byte, filled in afterwards.
    at = reserve(at, scalar_room);
    *at = tag;
    char* const body = at + 2;
    std::memcpy(body, name.bytes.data(), name.bytes.size());
    char* p = body + name.size;
    const std::uint32_t width = fixed_width(a.kind);
    const std::uint32_t type = width == 0 ? protobuf::varint : width == 8 ? protobuf::fixed64 : protobuf::fixed32;
    p = put_varint(p, make_tag(static_cast<std::uint32_t>(a.kind), type));
    p = put_number(p, width, wire_bits(a.kind, a.bits));
    at[1] = static_cast<char>(p - body);
    at = p;
  }
  return at;
}

char* ChakraEncoder::put_large_attr(char* at, char tag, const AttrTable& table, const Attr& a) {
  const std::string_view name = a.name.view();
  const Extra extra = a.extra == 0 ? Extra{} : table.extras[a.extra - 1];
  const auto field = static_cast<std::uint32_t>(a.kind);
  std::uint64_t values = 0;
  std::uint64_t list = 0;
  std::uint64_t size = optional_size(1, name.size()) + optional_size(2, extra.doc_string.size) + extra.unknown.size;
  if (is_list(a.kind)) {
    values = values_size(table, a);
    list = (is_text(a.kind) ? values : optional_size(1, values)) + extra.list_unknown.size;
    size += field_size(field, list);
  } else if (is_text(a.kind)) {
    size += field_size(field, a.size);
  }
  check_size(size);
  at = reserve(at, size + scalar_room);
  *at++ = tag;
  const bool number = a.kind != Kind::none && !is_list(a.kind) && !is_text(a.kind);
  const std::uint32_t width = fixed_width(a.kind);
  const std::uint64_t bits = wire_bits(a.kind, a.bits);
  if (number) size += varint_size(make_tag(field, 0)) + (width != 0 ? width : varint_size(bits));
  at = put_varint(at, size);
  if (!name.empty()) at = put_field(at, 1, name);
  if (extra.doc_string.size != 0) at = put_field(at, 2, table.view(extra.doc_string));
  if (number) {
    const std::uint32_t type = width == 0 ? protobuf::varint : width == 8 ? protobuf::fixed64 : protobuf::fixed32;
    at = put_number(put_varint(at, make_tag(field, type)), width, bits);
  } else if (is_list(a.kind)) {
    at = put_varint(put_varint(at, make_tag(field, protobuf::bytes)), list);
    if (is_text(a.kind)) {
      for (const Text& t : table.string_list(a)) at = put_field(at, 1, table.view(t));
    } else if (a.size != 0) {
      const Kind scalar = scalar_of(a.kind);
      const std::uint32_t element = fixed_width(scalar);
      at = put_varint(put_varint(at, make_tag(1, protobuf::bytes)), values);
      for (const std::uint64_t v : table.list(a)) at = put_number(at, element, wire_bits(scalar, v));
    }
    at = put_text(at, table.view(extra.list_unknown));
  } else if (is_text(a.kind)) {
    at = put_field(at, field, table.string(a));
  }
  return put_text(at, table.view(extra.unknown));
}

}  // namespace convert
