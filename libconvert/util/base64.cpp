// SPDX-License-Identifier: MIT
#include "util/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace convert {
namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr auto values = [] {
  std::array<std::int8_t, 256> v{};
  v.fill(-1);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    v[static_cast<unsigned char>(digits[i])] = static_cast<std::int8_t>(i);
  }
  return v;
}();

std::uint32_t byte_at(std::string_view s, std::size_t i) {
  return i < s.size() ? static_cast<unsigned char>(s[i]) : 0;
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t word = byte_at(bytes, i) << 16U | byte_at(bytes, i + 1) << 8U | byte_at(bytes, i + 2);
    const std::size_t left = bytes.size() - i;
    out += digits[word >> 18U];
    out += digits[word >> 12U & 63U];
    out += left > 1 ? digits[word >> 6U & 63U] : '=';
    out += left > 2 ? digits[word & 63U] : '=';
  }
}

bool decode_base64(std::string_view text, std::string& out) {
  if (text.size() % 4 != 0) return false;
  while (!text.empty()) {
    const bool last = text.size() == 4;
    const std::size_t padding = !last || text[3] != '=' ? 0 : text[2] != '=' ? 1 : 2;
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const int value = i < 4 - padding ? values[static_cast<unsigned char>(text[i])] : 0;
      if (value < 0) return false;
      word = word << 6U | static_cast<std::uint32_t>(value);
    }
    if ((padding == 1 && (word & 0xffU) != 0) || (padding == 2 && (word & 0xffffU) != 0)) return false;
    const std::array<char, 3> bytes{static_cast<char>(word >> 16U), static_cast<char>(word >> 8U),
                                    static_cast<char>(word)};
    out.append(bytes.data(), 3 - padding);
    text.remove_prefix(4);
  }
  return true;
}

}  // namespace convert
