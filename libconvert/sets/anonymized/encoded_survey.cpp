// SPDX-License-Identifier: MIT
#include "sets/anonymized/encoded_survey.h"

#include <algorithm>
#include <cstdint>

#include "formats/chakra/protobuf.h"

namespace convert {
namespace {

using protobuf::Cursor;
using protobuf::make_tag;

// Encoded field 1 of AttributeProto.
constexpr std::string_view start_on_wire =
    "\x0a\x0b"
    "start_nanos";
constexpr std::string_view group_on_wire =
    "\x0a\x07"
    "pg_name";
constexpr char name_tag = '\x0a';

// Skips the tag of one byte if it is next.
bool take_tag(Cursor& in, std::uint32_t tag) {
  if (in.done() || static_cast<unsigned char>(*in.p) != tag) return false;
  ++in.p;
  return true;
}

bool is_cut_length(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) < 0; });
}

}  // namespace

EncodedSurveyor::EncodedSurveyor(const Trace& head, bool names)
    : base_ns_(recorded_base_ns(head.metadata)), takes_names_(names) {
  out_.rank = head.rank;
}

std::optional<std::size_t> EncodedSurveyor::add(std::string_view bytes) {
  constexpr std::ptrdiff_t longest_length = 10;
  const char* const end = bytes.data() + bytes.size();
  Cursor all(bytes.data(), end);
  try {
    for (;;) {
      const char* const begin = all.p;
      if (begin == end || (end - begin < longest_length && is_cut_length({begin, end})))
        return static_cast<std::size_t>(begin - bytes.data());
      const std::uint64_t size = all.read_varint();
      if (static_cast<std::uint64_t>(end - all.p) < size) return static_cast<std::size_t>(begin - bytes.data());
      if (!add_node({all.p, static_cast<std::size_t>(size)})) return std::nullopt;
      all.p += size;
    }
  } catch (const protobuf::Malformed&) {
    return std::nullopt;
  }
}

// Reads fields in the order of their numbers, which makes branches predictable.
bool EncodedSurveyor::add_node(std::string_view message) {
  NodeId id = 0;
  std::string_view name;
  std::uint64_t start_us = 0;
  std::int64_t start_ns = no_time;
  Cursor in(message);
  if (take_tag(in, make_tag(1, protobuf::varint))) id = in.read_varint();
  if (take_tag(in, make_tag(2, protobuf::bytes))) name = in.read_bytes();
  if (take_tag(in, make_tag(3, protobuf::varint))) (void)in.read_varint();
  for (const std::uint32_t field : {4U, 5U}) {
    if (!take_tag(in, make_tag(field, protobuf::bytes))) continue;
    for (Cursor deps(in.read_bytes()); !deps.done();) ids_.add_dep(deps.read_varint());
  }
  if (take_tag(in, make_tag(6, protobuf::varint))) start_us = in.read_varint();
  if (take_tag(in, make_tag(7, protobuf::varint))) (void)in.read_varint();
  if (take_tag(in, make_tag(8, protobuf::bytes))) (void)in.read_bytes();
  if (take_tag(in, make_tag(9, protobuf::bytes))) (void)in.read_bytes();
  while (take_tag(in, make_tag(10, protobuf::bytes))) {
    if (!add_attribute(in.read_bytes(), start_ns)) return false;
  }
  if (!in.done()) return false;
  ids_.add_id(id);
  if (takes_names_ && !name.empty()) names_.add(name);
  if (start_ns != no_time) {
    add_start(static_cast<std::uint64_t>(start_ns), false);
  } else if (start_us != 0) {
    add_start(start_us, true);
  }
  return true;
}

void EncodedSurveyor::add_start(std::uint64_t start, bool in_us) {
  constexpr std::uint64_t most_us = INT64_MAX / 1000;
  std::int64_t ns = 0;
  if (in_us && start > most_us) return;
  if (__builtin_add_overflow(static_cast<std::int64_t>(in_us ? start * 1000 : start), base_ns_, &ns)) return;
  if (out_.begin_ns == no_time || ns < out_.begin_ns) out_.begin_ns = ns;
  out_.starts_in_us = out_.starts_in_us || in_us;
}

bool EncodedSurveyor::add_attribute(std::string_view attribute, std::int64_t& start_ns) {
  if (attribute.empty() || attribute[0] != name_tag) return false;
  if (attribute.starts_with(group_on_wire)) return add_group(Cursor(attribute.substr(group_on_wire.size())));
  if (!attribute.starts_with(start_on_wire)) return true;
  Cursor value(attribute.substr(start_on_wire.size()));
  const bool plain =
      !value.done() && value.read_tag() == make_tag(static_cast<std::uint32_t>(Kind::int64_val), protobuf::varint);
  if (!plain || start_ns != no_time) return false;
  start_ns = static_cast<std::int64_t>(value.read_varint());
  return value.done() && start_ns >= 0;
}

bool EncodedSurveyor::add_group(Cursor value) {
  if (value.done() || value.read_tag() != make_tag(static_cast<std::uint32_t>(Kind::string_val), protobuf::bytes))
    return false;
  const std::string_view group = value.read_bytes();
  if (!value.done()) return false;
  if (groups_.size() != 0 && group == last_group_) return true;
  last_group_ = group;
  groups_.add(group);
  return true;
}

RankSurvey EncodedSurveyor::finish() {
  out_.ids = ids_.finish();
  out_.groups = groups_.list();
  out_.names = names_.list();
  return std::move(out_);
}

}  // namespace convert
