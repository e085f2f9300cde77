// SPDX-License-Identifier: MIT
#include "sets/classes/encoded_nodes.h"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "formats/chakra/protobuf.h"
#include "formats/chakra/stream.h"

namespace convert {
namespace {

using protobuf::Cursor;
using protobuf::make_tag;
using Changed = RankChanges::What;

constexpr std::uint32_t attribute_tag = make_tag(10, protobuf::bytes);
constexpr std::uint32_t tag_of(Kind kind) {
  return make_tag(static_cast<std::uint32_t>(kind), kind == Kind::string_val ? protobuf::bytes : protobuf::varint);
}

struct Changing {
  std::string_view name;  // encoded field 1 of AttributeProto
  Changed what;
};
constexpr std::array<Changing, RankChanges::kinds> changing = {{
    {"\x0a\x08"
     "comm_src",
     Changed::source},
    {"\x0a\x08"
     "comm_dst",
     Changed::destination},
    {"\x0a\x08"
     "comm_tag",
     Changed::tag},
    {"\x0a\x07"
     "pg_name",
     Changed::group},
}};

// Returns the entry of `changing` for the attribute, or null.
const Changing* changing_of(std::string_view attribute) {
  if (attribute.size() < 9 || (attribute[2] != 'c' && attribute[2] != 'p')) return nullptr;
  for (const Changing& c : changing) {
    if (attribute.starts_with(c.name)) return &c;
  }
  return nullptr;
}

// Reads the message at `in`, with its length prefix; returns nothing if it is truncated.
std::optional<std::string_view> next_message(Cursor& in) {
  const std::uint64_t size = in.read_varint();
  if (size > static_cast<std::uint64_t>(in.end - in.p)) return std::nullopt;
  const std::string_view message(in.p, static_cast<std::size_t>(size));
  in.p += size;
  return message;
}

// Compares the nodes of two ranks, message by message.
class NodeComparison {
 public:
  NodeComparison(std::uint32_t node, RankChanges& to) : node_(node), to_(to) {}

  bool run(Cursor a, Cursor b) {
    while (!a.done()) {
      if (b.done()) return false;
      const std::uint32_t tag = a.read_tag();
      if (b.read_tag() != tag || !same_field(tag, a, b)) return false;
    }
    return b.done();
  }

 private:
  bool same_field(std::uint32_t tag, Cursor& a, Cursor& b) {
    switch (tag & 7U) {
      case protobuf::varint: return a.read_varint() == b.read_varint();
      case protobuf::bytes: break;
      default: return false;
    }
    const std::string_view of_a = a.read_bytes(), of_b = b.read_bytes();
    if (tag != attribute_tag) return of_a == of_b;
    // The first attribute with a name counts: repeated attributes may not differ.
    const Changing* const which = changing_of(of_a);
    const std::uint32_t bit = which == nullptr ? 0 : 1U << static_cast<unsigned>(which->what);
    const bool again = (seen_ & bit) != 0;
    seen_ |= bit;
    if (of_a == of_b) return true;
    return which != nullptr && !again && of_b.starts_with(which->name) &&
           note(which->what, Cursor(of_a.substr(which->name.size())), Cursor(of_b.substr(which->name.size())));
  }

  // Records a different value; returns false if the attribute is of another kind or has an unusual encoding.
  bool note(Changed what, Cursor a, Cursor b) {
    if (a.done() || b.done()) return false;
    const std::uint32_t tag = a.read_tag();
    if (b.read_tag() != tag) return false;
    RankChanges::Change& to = to_.changes.emplace_back(RankChanges::Change{.node = node_, .what = what});
    if (what == Changed::group) {
      if (tag != tag_of(Kind::string_val)) return false;
      (void)a.read_bytes();
      to.group = b.read_bytes();
    } else {
      const bool is_32 = tag == tag_of(Kind::int32_val);
      if (!is_32 && tag != tag_of(Kind::int64_val)) return false;
      (void)a.read_varint();
      const std::uint64_t value = b.read_varint();
      to.number = is_32 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
    }
    return a.done() && b.done();
  }

  std::uint32_t node_;
  RankChanges& to_;
  std::uint32_t seen_ = 0;
};

}  // namespace

EncodedNodes::EncodedNodes(const NodeTable& table) {
  ChakraEncoder().nodes(table, bytes_);
  ends_.reserve(table.nodes.size());
  for (Cursor at(bytes_); !at.done();) {
    (void)next_message(at);
    ends_.push_back(static_cast<std::size_t>(at.p - bytes_.data()));
  }
}

bool EncodedNodes::compare(std::string_view bytes, std::uint64_t offset, RankChanges& to,
                           std::size_t& compared) const {
  to.changes.clear();
  to.positions.clear();
  to.positions.reserve(nodes());
  Cursor its(bytes);
  std::size_t begin = 0;
  try {
    for (std::uint32_t node = 0; node < ends_.size(); ++node) {
      ++compared;
      const std::size_t size = ends_[node] - begin;
      to.positions.push_back(offset + static_cast<std::uint64_t>(its.p - bytes.data()));
      const char* const own = bytes_.data() + std::exchange(begin, ends_[node]);
      if (size <= static_cast<std::size_t>(its.end - its.p) && std::memcmp(own, its.p, size) == 0) {
        its.p += size;
        continue;
      }
      Cursor mine(own, own + size);
      const auto a = next_message(mine), b = next_message(its);
      if (!a || !b || !NodeComparison(node, to).run(Cursor(*a), Cursor(*b))) return false;
    }
  } catch (const protobuf::Malformed&) {
    return false;
  }
  return its.done();
}

}  // namespace convert
