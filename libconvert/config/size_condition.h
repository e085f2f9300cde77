// SPDX-License-Identifier: MIT
// Conditions on a size in the rules for collectives: ">=1MiB", "<64MiB".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace convert {

struct SizeCondition {
  std::optional<std::int64_t> min_bytes;  // from here on
  std::optional<std::int64_t> end_bytes;  // below this
};

inline constexpr std::string_view size_conditions = "size>=BYTES, size>BYTES, size<BYTES or size<=BYTES";

// The sign at the beginning of `text`: ">=", ">", "<=", "<"; empty if there is none.
[[nodiscard]] std::string_view size_sign(std::string_view text);
// A sign and a size. Nothing if it is anything else.
[[nodiscard]] std::optional<SizeCondition> parse_size_condition(std::string_view text);

}  // namespace convert
