// SPDX-License-Identifier: MIT
#include "config/size_condition.h"

#include <algorithm>

#include "core/units.h"

namespace convert {

std::string_view size_sign(std::string_view text) {
  const std::size_t n =
      text.starts_with('>') || text.starts_with('<') ? (text.substr(1).starts_with('=') ? 2 : 1) : 0;
  return text.substr(0, n);
}

std::optional<SizeCondition> parse_size_condition(std::string_view text) {
  const std::string_view sign = size_sign(text);
  if (sign.empty()) return std::nullopt;
  const auto bytes = parse_bytes(text.substr(sign.size()));
  if (!bytes) return std::nullopt;
  const std::int64_t next = std::min(*bytes, INT64_MAX - 1) + 1;
  if (sign == ">=") return SizeCondition{.min_bytes = bytes, .end_bytes = {}};
  if (sign == ">") return SizeCondition{.min_bytes = next, .end_bytes = {}};
  if (sign == "<") return SizeCondition{.min_bytes = {}, .end_bytes = bytes};
  return SizeCondition{.min_bytes = {}, .end_bytes = next};
}

}  // namespace convert
