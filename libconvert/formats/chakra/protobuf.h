// SPDX-License-Identifier: MIT
// Protobuf wire format: a checked cursor over a message, and unchecked writes into reserved bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace convert::protobuf {

static_assert(std::endian::native == std::endian::little, "fixed-width fields are copied in memory order");

// Wire types.
inline constexpr std::uint32_t varint = 0, fixed64 = 1, bytes = 2, begin_group = 3, end_group = 4, fixed32 = 5;
constexpr std::uint32_t make_tag(std::uint32_t field, std::uint32_t type) { return field << 3U | type; }

// libprotobuf rejects longer lengths and more deeply nested messages.
inline constexpr std::uint64_t max_length = 0x7fffffffU - 16;
inline constexpr int max_depth = 100;

// Thrown by Cursor; the caller adds the file and throws an Error.
struct Malformed {
  const char* at;
  std::string what;
};

// Cursor over the fields of one message; accepts exactly what libprotobuf 3.21 accepts.
struct Cursor {
  const char* p;
  const char* end;

  Cursor(const char* from, const char* to) : p(from), end(to) {}
  explicit Cursor(std::string_view message) : p(message.data()), end(p + message.size()) {}

  [[nodiscard]] bool done() const { return p == end; }

  std::uint64_t read_varint() {
    if (p != end && static_cast<signed char>(*p) >= 0) return static_cast<unsigned char>(*p++);
    if (end - p >= 2 && static_cast<signed char>(p[1]) >= 0) {
      p += 2;
      return (static_cast<unsigned char>(p[-2]) & 0x7fU) | static_cast<std::uint64_t>(p[-1]) << 7U;
    }
    return read_long_varint();
  }
  std::uint32_t read_tag() {
    if (p != end && static_cast<signed char>(*p) >= 0) return static_cast<unsigned char>(*p++);
    if (end - p >= 2 && static_cast<signed char>(p[1]) >= 0) {
      p += 2;
      return (static_cast<unsigned char>(p[-2]) & 0x7fU) | static_cast<std::uint32_t>(p[-1]) << 7U;
    }
    return read_long_tag();
  }
  template <typename T>
  T read_fixed() {
    if (static_cast<std::size_t>(end - p) < sizeof(T)) throw Malformed{p, "the message ends inside a field"};
    T value;
    std::memcpy(&value, p, sizeof value);
    p += sizeof value;
    return value;
  }
  std::string_view read_bytes() {
    const char* const start = p;
    std::uint64_t size = 0;
    if (p != end && static_cast<signed char>(*p) >= 0) {
      size = static_cast<unsigned char>(*p++);
    } else {
      size = read_long_size();
    }
    if (static_cast<std::uint64_t>(end - p) < size) throw_overrun(start, size);
    const std::string_view result(p, static_cast<std::size_t>(size));
    p += size;
    return result;
  }

 private:
  std::uint64_t read_long_varint();
  std::uint32_t read_long_tag();
  std::uint64_t read_long_size();
  [[noreturn]] void throw_overrun(const char* start, std::uint64_t size) const;
};

// Appends the field whose tag was just read to `out`, with minimal varints. A group is copied whole, with at most
// `depth` levels of nested groups.
void copy_field(Cursor& in, std::uint32_t tag, int depth, std::string& out);

// Returns the size of a varint in bytes: 1 to 10.
constexpr std::uint32_t varint_size(std::uint64_t v) {
  return (static_cast<std::uint32_t>(std::bit_width(v | 1U)) * 9 + 64) / 64;
}
// Write a varint, a fixed-width number or text to `to`, which must have room; return the end.
inline char* put_varint(char* to, std::uint64_t v) {
  while (v >= 0x80) {
    *to++ = static_cast<char>(v | 0x80U);
    v >>= 7U;
  }
  *to++ = static_cast<char>(v);
  return to;
}
template <typename T>
char* put_fixed(char* to, T v) {
  std::memcpy(to, &v, sizeof v);
  return to + sizeof v;
}
inline char* put_text(char* to, std::string_view s) {
  std::memcpy(to, s.data(), s.size());
  return to + s.size();
}

// Zigzag encoding of sint32 and sint64 values, and its inverse.
constexpr std::uint32_t zigzag32(std::int32_t v) {
  return (static_cast<std::uint32_t>(v) << 1U) ^ static_cast<std::uint32_t>(v >> 31);
}
constexpr std::uint64_t zigzag64(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1U) ^ static_cast<std::uint64_t>(v >> 63);
}
constexpr std::int32_t unzigzag32(std::uint32_t v) {
  return static_cast<std::int32_t>((v >> 1U) ^ (0U - (v & 1U)));
}
constexpr std::int64_t unzigzag64(std::uint64_t v) {
  return static_cast<std::int64_t>((v >> 1U) ^ (0U - (v & 1U)));
}

}  // namespace convert::protobuf
