// SPDX-License-Identifier: MIT
// Keys and scalars of a JSON text, exactly: every integer kind with its range, floats from their own digits, NaN
// payloads.
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

[[nodiscard]] std::string json_quoted(std::string_view s);  // 'text', cut if it is long
[[nodiscard]] inline bool is_json_string(std::string_view token) {
  return token.size() >= 2 && token.front() == '"' && token.back() == '"';
}

// JSON's grammar of numbers, which is stricter than from_chars.
[[nodiscard]] bool is_json_number(std::string_view token);

// `token` is a number, or a number in quotes. Throws BadJson that names `key` if it is not an integer or out of
// range. For std::int32_t, std::int64_t, std::uint32_t and std::uint64_t.
template <typename T>
[[nodiscard]] T json_integer(std::string_view token, std::string_view key);

// The bits of a scalar of that kind, as core/trace.h documents them.
[[nodiscard]] std::uint64_t json_number(std::string_view token, Kind scalar, std::string_view key);

// The keys of one object: finds them, and refuses strangers and repetitions. At most 64 known keys.
class JsonKeys {
 public:
  explicit JsonKeys(std::span<const std::string_view> known) : known_(known) {}
  // Position among the known keys. `key` must lie in the text, for the place of the error. `guess`: tried first.
  [[nodiscard]] std::size_t index(std::string_view key, std::size_t guess = 0);
  [[nodiscard]] bool seen(std::size_t i) const { return (seen_ >> i & 1U) != 0; }

 private:
  std::span<const std::string_view> known_;
  std::size_t next_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace convert
