// SPDX-License-Identifier: MIT
#include "config/json_settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

using TokenKind = JsonToken::Kind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Parses a finite number in JSON spelling, without ".5", "5." or "07". Returns infinity if the number is out of
// the range of a double.
std::optional<double> number_of(std::string_view text) {
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const std::size_t point = text.find('.');
  const auto digit_at = [&](std::size_t k) { return k < text.size() && is_digit(text[k]); };
  if (!digit_at(first) || (text[first] == '0' && digit_at(first + 1))) return std::nullopt;
  if (point != std::string_view::npos && !digit_at(point + 1)) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  return error == std::errc{} ? value : HUGE_VAL;
}

bool is_scalar(const JsonToken& token) {
  const std::string_view raw = token.raw;
  return token.kind == TokenKind::string || raw == "true" || raw == "false" || raw == "null" || number_of(raw);
}

std::string text_of(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

std::string given(const JsonToken& token) { return token.kind == TokenKind::list ? "a list" : shown(token); }

// A file name cannot contain NUL.
bool is_path(const JsonToken& token) {
  return token.kind == TokenKind::string && !token.text.empty() && token.text.find('\0') == std::string::npos;
}

}  // namespace

JsonSettings::JsonSettings(const JsonSource& source, const std::vector<std::string>& known_keys) : source_(source) {
  read_json_map(source, [&](const JsonMember& member) { take(member, known_keys); });
}

void JsonSettings::take(const JsonMember& member, const std::vector<std::string>& known_keys) {
  const std::string& key = member.key.text;
  if (std::find(known_keys.begin(), known_keys.end(), key) == known_keys.end()) {
    throw source_.failure(member.key, "unknown key " + shown(member.key) + hint_for(key, known_keys));
  }
  const auto refuse_rubbish = [this](const JsonToken& token) {
    if (token.kind == TokenKind::plain && !is_scalar(token)) {
      throw source_.failure(token, "malformed JSON: expected a value, not " + shown(token));
    }
  };
  refuse_rubbish(member.value);
  for (const JsonToken& item : member.items) refuse_rubbish(item);
  const auto [before, is_new] = members_.try_emplace(key, member);
  if (!is_new) {
    throw source_.failure(member.key, "key " + shown(member.key) + " is repeated; first given in line " +
                                          std::to_string(source_.line_of(before->second.key)));
  }
}

const JsonMember* JsonSettings::find(const std::string& key) const {
  const auto found = members_.find(key);
  return found == members_.end() ? nullptr : &found->second;
}

Error JsonSettings::failure(const std::string& key, const std::string& message) const {
  return source_.failure(members_.at(key).value, message);
}

std::optional<std::int64_t> JsonSettings::whole(const std::string& key, std::int64_t low, std::int64_t high) const {
  const JsonMember* const member = find(key);
  if (member == nullptr) return std::nullopt;
  const JsonToken& token = member->value;
  const std::optional<double> value = token.kind == TokenKind::plain ? number_of(token.raw) : std::nullopt;
  // 10.0 and 1e3 are whole numbers, too. Digits alone are parsed as integers, without rounding to a double.
  const auto is_in = [&](auto n) {
    return n >= static_cast<decltype(n)>(low) && n <= static_cast<decltype(n)>(high);
  };
  if (value && std::trunc(*value) == *value && is_in(*value)) {
    const std::int64_t n = parse_int(token.raw).value_or(static_cast<std::int64_t>(*value));
    if (is_in(n)) return n;
  }
  throw failure(key, key + " requires a whole number from " + std::to_string(low) + " to " + std::to_string(high) +
                         ", not " + given(token));
}

std::optional<double> JsonSettings::number(const std::string& key, double high) const {
  const JsonMember* const member = find(key);
  if (member == nullptr) return std::nullopt;
  const JsonToken& token = member->value;
  const std::optional<double> value = token.kind == TokenKind::plain ? number_of(token.raw) : std::nullopt;
  if (value && *value >= 0 && *value <= high) return *value + 0.0;  // -0 becomes 0
  throw failure(key, key + " requires a number from 0 to " + text_of(high) + ", not " + given(token));
}

std::optional<bool> JsonSettings::flag(const std::string& key) const {
  const JsonMember* const member = find(key);
  if (member == nullptr) return std::nullopt;
  const std::string_view raw = member->value.raw;
  if (raw == "1" || raw == "true") return true;
  if (raw == "0" || raw == "false") return false;
  throw failure(key, key + " requires 0 or 1, not " + given(member->value));
}

bool JsonSettings::is_true_or_false(const std::string& key) const {
  const JsonMember* const member = find(key);
  return member != nullptr && (member->value.raw == "true" || member->value.raw == "false");
}

std::string JsonSettings::path(const std::string& key) const {
  const JsonMember* const member = find(key);
  if (member == nullptr) return {};
  if (!is_path(member->value)) throw failure(key, key + " requires a path, not " + given(member->value));
  return member->value.text;
}

std::vector<JsonToken> JsonSettings::strings(const std::string& key, const std::string& example) const {
  const JsonMember* const member = find(key);
  if (member == nullptr) return {};
  const std::string wants = key + " requires a list such as " + example + ", not ";
  if (member->value.kind != TokenKind::list) throw failure(key, wants + shown(member->value));
  if (member->items.empty()) throw failure(key, wants + "an empty list");
  for (const JsonToken& item : member->items) {
    if (!is_path(item)) throw source_.failure(item, wants + "a list with " + shown(item));
  }
  return member->items;
}

std::optional<std::size_t> JsonSettings::index_of(const std::string& key,
                                                  const std::vector<std::string>& names) const {
  const JsonMember* const member = find(key);
  if (member == nullptr) return std::nullopt;
  if (member->value.kind != TokenKind::string) {
    throw failure(key, key + " requires one of " + join(names) + ", not " + given(member->value));
  }
  const auto found = std::find(names.begin(), names.end(), member->value.text);
  if (found == names.end()) {
    throw failure(key, "unknown " + key + " " + shown(member->value) + hint_for(member->value.text, names));
  }
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace convert
