// SPDX-License-Identifier: MIT
#include "sets/anonymized/encoded_survey.h"

#include <algorithm>
#include <cstdint>

#include "formats/chakra/protobuf.h"

namespace convert {
namespace {

using protobuf::Cursor;
using protobuf::make_tag;

// Field 1 of AttributeProto as it stands on the wire.
constexpr std::string_view start_on_wire =
    "\x0a\x0b"
    "start_nanos";
constexpr std::string_view group_on_wire =
    "\x0a\x07"
    "pg_name";
constexpr char name_tag = '\x0a';

class EncodedSurveyor {
 public:
  explicit EncodedSurveyor(const Trace& head) : base_ns_(recorded_base_ns(head.metadata)) { out_.rank = head.rank; }

  std::optional<RankSurvey> run(Cursor all) {
    while (!all.done()) {
      if (!read_node(Cursor(all.read_bytes()))) return std::nullopt;
    }
    out_.ids = ids_.finish();
    return std::move(out_);
  }

 private:
  // Returns false for what only decoding can tell.
  bool read_node(Cursor in) {
    NodeId id = 0;
    std::uint64_t start_us = 0;
    std::int64_t start_ns = no_time;
    while (!in.done()) {
      const std::uint32_t tag = in.read_tag();
      switch (tag) {
        case make_tag(1, protobuf::varint): id = in.read_varint(); break;
        case make_tag(6, protobuf::varint): start_us = in.read_varint(); break;
        case make_tag(4, protobuf::varint):
        case make_tag(5, protobuf::varint): ids_.add_dep(in.read_varint()); break;
        case make_tag(4, protobuf::bytes):
        case make_tag(5, protobuf::bytes):
          for (Cursor list(in.read_bytes()); !list.done();) ids_.add_dep(list.read_varint());
          break;
        case make_tag(10, protobuf::bytes):
          if (!read_attribute(in.read_bytes(), start_ns)) return false;
          break;
        case make_tag(3, protobuf::varint):
        case make_tag(7, protobuf::varint): (void)in.read_varint(); break;
        case make_tag(2, protobuf::bytes):
        case make_tag(8, protobuf::bytes):
        case make_tag(9, protobuf::bytes): (void)in.read_bytes(); break;
        default: return false;
      }
    }
    ids_.add_id(id);
    if (start_ns == no_time && start_us == 0) return true;
    if (start_ns == no_time) return add_start(start_us, true);
    return add_start(static_cast<std::uint64_t>(start_ns), false);
  }

  bool add_start(std::uint64_t start, bool in_us) {
    constexpr std::uint64_t most_us = INT64_MAX / 1000;
    std::int64_t ns = 0;
    if (in_us && start > most_us) return true;
    if (__builtin_add_overflow(static_cast<std::int64_t>(in_us ? start * 1000 : start), base_ns_, &ns)) return true;
    if (out_.begin_ns == no_time || ns < out_.begin_ns) out_.begin_ns = ns;
    out_.starts_in_us = out_.starts_in_us || in_us;
    return true;
  }

  bool read_attribute(std::string_view attribute, std::int64_t& start_ns) {
    if (attribute.empty() || attribute[0] != name_tag) return false;
    if (attribute.starts_with(group_on_wire)) return add_group(Cursor(attribute.substr(group_on_wire.size())));
    if (!attribute.starts_with(start_on_wire)) return true;
    Cursor value(attribute.substr(start_on_wire.size()));
    const bool plain = !value.done() &&
                       value.read_tag() == make_tag(static_cast<std::uint32_t>(Kind::int64_val), protobuf::varint);
    if (!plain || start_ns != no_time) return false;
    start_ns = static_cast<std::int64_t>(value.read_varint());
    return value.done() && start_ns >= 0;
  }

  bool add_group(Cursor value) {
    if (value.done() || value.read_tag() != make_tag(static_cast<std::uint32_t>(Kind::string_val), protobuf::bytes))
      return false;
    const std::string_view group = value.read_bytes();
    if (!value.done()) return false;
    if (std::ranges::find(out_.groups, group) == out_.groups.end()) out_.groups.emplace_back(group);
    return true;
  }

  std::int64_t base_ns_;
  RankSurvey out_;
  DenseIdCheck ids_;
};

}  // namespace

std::optional<RankSurvey> survey_encoded(const Trace& head, std::string_view nodes) {
  try {
    return EncodedSurveyor(head).run(Cursor(nodes));
  } catch (const protobuf::Malformed&) {
    return std::nullopt;
  }
}

}  // namespace convert
