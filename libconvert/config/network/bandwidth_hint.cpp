// SPDX-License-Identifier: MIT
#include "config/network/bandwidth_hint.h"

#include <algorithm>
#include <cctype>

namespace convert {

std::string bandwidth_hint(std::string_view text) {
  const std::string_view unit = text.substr(std::min(text.size(), text.find_first_not_of("0123456789. ")));
  if (unit.size() < 3) return "";
  const auto prefix = static_cast<char>(std::toupper(static_cast<unsigned char>(unit.front())));
  const std::string_view rest = unit.substr(1);
  const bool is_rate = rest == "b/s" || rest == "B/s" || rest == "Bps" || rest == "bits/s";
  if (!is_rate || std::string_view("MGT").find(prefix) == std::string_view::npos) return "";
  const std::string p(1, prefix);
  return "; bits are " + p + "bit/s, bytes " + p + "B/s";
}

}  // namespace convert
