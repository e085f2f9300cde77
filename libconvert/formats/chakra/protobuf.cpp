// SPDX-License-Identifier: MIT
#include "formats/chakra/protobuf.h"

#include <array>
#include <vector>

namespace convert::protobuf {
namespace {

constexpr const char* cut = "the message ends inside a field";

void append_varint(std::string& out, std::uint64_t v) {
  std::array<char, 10> text;
  out.append(text.data(), put_varint(text.data(), v));
}

}  // namespace

std::uint64_t Cursor::read_long_varint() {
  const char* q = p;
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (q == end) throw Malformed{p, cut};
    const auto byte = static_cast<unsigned char>(*q++);
    value |= (byte & std::uint64_t{0x7f}) << shift;  // only one bit of the tenth byte counts
    if (byte < 0x80) {
      p = q;
      return value;
    }
  }
  throw Malformed{p, "an integer is longer than 10 bytes"};
}

std::uint32_t Cursor::read_long_tag() {
  const char* q = p;
  std::uint32_t value = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    if (q == end) throw Malformed{p, cut};
    const auto byte = static_cast<unsigned char>(*q++);
    value |= (byte & 0x7fU) << shift;
    if (byte < 0x80) {
      p = q;
      return value;
    }
  }
  throw Malformed{p, "a field number is longer than 5 bytes"};
}

std::uint64_t Cursor::read_long_size() {
  const char* q = p;
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    if (q == end) throw Malformed{p, cut};
    const auto byte = static_cast<unsigned char>(*q++);
    value |= (byte & std::uint64_t{0x7f}) << shift;
    if (byte < 0x80) {
      if (value > max_length) break;
      p = q;
      return value;
    }
  }
  throw Malformed{p, "a length of 2 GiB or more"};
}

void Cursor::throw_overrun(const char* start, std::uint64_t size) const {
  throw Malformed{start, "a field of " + std::to_string(size) + " bytes, but its message has only " +
                             std::to_string(end - p) + " bytes left"};
}

void copy_field(Cursor& in, std::uint32_t tag, int depth, std::string& out) {
  std::vector<std::uint32_t> groups;
  for (;;) {
    const std::uint32_t number = tag >> 3U;
    if (number == 0) throw Malformed{in.p, "field number 0"};
    append_varint(out, tag);
    switch (tag & 7U) {
      case varint: append_varint(out, in.read_varint()); break;
      case fixed64: {
        const auto v = in.read_fixed<std::array<char, 8>>();
        out.append(v.data(), v.size());
        break;
      }
      case fixed32: {
        const auto v = in.read_fixed<std::array<char, 4>>();
        out.append(v.data(), v.size());
        break;
      }
      case bytes: {
        const std::string_view v = in.read_bytes();
        append_varint(out, v.size());
        out += v;
        break;
      }
      case begin_group:
        if (static_cast<int>(groups.size()) >= depth) throw Malformed{in.p, "groups nested more than 100 deep"};
        groups.push_back(number);
        break;
      case end_group:
        if (groups.empty() || groups.back() != number) throw Malformed{in.p, "a group end without its group start"};
        groups.pop_back();
        break;
      default: throw Malformed{in.p, "wire type " + std::to_string(tag & 7U) + " does not exist"};
    }
    if (groups.empty()) return;
    tag = in.read_tag();
  }
}

}  // namespace convert::protobuf
