// SPDX-License-Identifier: MIT
// Exact reading of JSON keys and scalars: each integer kind with its range, floats from their digits, NaNs.
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

// Returns the first 80 bytes of a text in single quotes, for messages; truncation is not marked.
[[nodiscard]] std::string json_quoted(std::string_view s);
[[nodiscard]] inline bool is_json_string(std::string_view token) {
  return token.size() >= 2 && token.front() == '"' && token.back() == '"';
}

// Returns whether a token is a number by JSON's grammar, which is stricter than from_chars.
[[nodiscard]] bool is_json_number(std::string_view token);

// Reads an integer, optionally in quotes, as std::int32_t, std::int64_t, std::uint32_t or std::uint64_t. Throws
// BadJson that names `key` if it is not an integer or out of range.
template <typename T>
[[nodiscard]] T json_integer(std::string_view token, std::string_view key);

// Returns the bits of a scalar of the given kind, as documented in core/trace.h. Throws BadJson that names `key`.
[[nodiscard]] std::uint64_t json_number(std::string_view token, Kind scalar, std::string_view key);

// Lookup of the keys of one object among at most 64 known keys. Rejects unknown and repeated keys.
class JsonKeys {
 public:
  explicit JsonKeys(std::span<const std::string_view> known) : known_(known) {}
  // Returns the position of the key among the known keys; tries `guess` first. `key` must point into the text, so
  // that BadJson has its position.
  [[nodiscard]] std::size_t index(std::string_view key, std::size_t guess = 0);
  [[nodiscard]] bool seen(std::size_t i) const { return (seen_ >> i & 1U) != 0; }

 private:
  std::span<const std::string_view> known_;
  std::size_t next_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace convert
