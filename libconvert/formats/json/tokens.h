// SPDX-License-Identifier: MIT
// Reads keys and scalars of a JSON text exactly: every integer kind with its range, floats from their digits, NaNs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/trace.h"

namespace convert {

// Thrown while parsing; the reader turns it into an Error with line and column.
struct BadJson {
  const char* at;
  std::string what;
};

// Returns the text in single quotes for a message: its first 80 bytes, without a mark where it was cut.
[[nodiscard]] std::string json_quoted(std::string_view s);
[[nodiscard]] inline bool is_json_string(std::string_view token) {
  return token.size() >= 2 && token.front() == '"' && token.back() == '"';
}

// Returns whether a token is a number by JSON's grammar, which is stricter than from_chars.
[[nodiscard]] bool is_json_number(std::string_view token);

// Reads an integer, also in quotes, as std::int32_t, std::int64_t, std::uint32_t or std::uint64_t. Throws BadJson
// that names `key` if it is not an integer or out of range.
template <typename T>
[[nodiscard]] T json_integer(std::string_view token, std::string_view key);

// Returns the bits of a scalar of that kind, as core/trace.h documents them. Throws BadJson that names `key`.
[[nodiscard]] std::uint64_t json_number(std::string_view token, Kind scalar, std::string_view key);

// Finds the keys of one object among at most 64 known ones, and refuses unknown and repeated keys.
class JsonKeys {
 public:
  explicit JsonKeys(std::span<const std::string_view> known) : known_(known) {}
  // Returns the key's position among the known keys; tries `guess` first. `key` must lie in the text, so that the
  // BadJson has its place.
  [[nodiscard]] std::size_t index(std::string_view key, std::size_t guess = 0);
  [[nodiscard]] bool seen(std::size_t i) const { return (seen_ >> i & 1U) != 0; }

 private:
  std::span<const std::string_view> known_;
  std::size_t next_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace convert
