// SPDX-License-Identifier: MIT
#include "formats/json/repair.h"

#include <algorithm>
#include <utility>

#include "util/utf8.h"

namespace convert {
namespace {

constexpr std::size_t most_copied = std::size_t{1} << 20U;  // bytes per step

// Returns whether the byte is copied unchanged in a string: ASCII without quotes, backslashes and control
// characters.
bool is_plain(char c) { return c >= 0x20 && c != '"' && c != '\\'; }

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::string escaped_control(char c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  constexpr std::string_view digits = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(c);
  return {'\\', 'u', '0', '0', digits[code >> 4U], digits[code & 15U]};
}

}  // namespace

const RepairedJson::Edit* RepairedJson::last_edit(std::uint64_t from, std::uint64_t to) {
  while (!edits_.empty() && edits_.front().offset <= from) edits_.pop_front();
  const auto after = std::ranges::upper_bound(edits_, to, {}, &Edit::offset);
  return after == edits_.begin() ? nullptr : &*std::prev(after);
}

std::size_t RepairedJson::fill(char* to, std::size_t n) {
  while (taken_ == out_.size()) {
    out_.clear();
    taken_ = 0;
    if (!need(1)) return 0;
    step();
  }
  n = std::min(n, out_.size() - taken_);
  std::copy_n(out_.data() + taken_, n, to);
  taken_ += n;
  return n;
}

// Reads until `n` bytes, or all bytes of the text, are available. Returns whether `n` bytes are available.
bool RepairedJson::need(std::size_t n) {
  if (raw_.size() - at_ < n && !ended_) {
    raw_.erase(0, std::exchange(at_, 0));
    const std::size_t kept = raw_.size();
    raw_.resize(kept + most_copied);
    const std::size_t got = input_.read(raw_.data() + kept, most_copied);
    raw_.resize(kept + got);
    ended_ = got < most_copied;
  }
  return raw_.size() - at_ >= n;
}

// Appends more of the repaired text to out_.
void RepairedJson::step() {
  const std::size_t written = out_.size();
  while (out_.size() - written < most_copied / 4) {
    if (!need(ahead) && at_ == raw_.size()) return;
    if (given_up_) {
      copy(std::min(raw_.size() - at_, most_copied));
    } else if (in_string_) {
      string();
    } else if (const std::size_t next = after_space(at_); next != at_) {
      copy(next - at_);
    } else {
      token();
    }
  }
}

void RepairedJson::token() {
  const char c = at(at_);
  const JsonTokenKind kind = json_token(c);
  if (kind == JsonTokenKind::comma) return comma();
  const bool opens = kind == JsonTokenKind::open_array || kind == JsonTokenKind::open_object;
  if (grammar_.takes(JsonTokenKind::comma)) {
    const bool comma_missing =
        grammar_.in_object() ? kind == JsonTokenKind::string && is_key(at_) : opens && after_bracket_;
    if (comma_missing && take(JsonTokenKind::comma)) replace(JsonFault::missing_comma, 0, ",");
  }
  in_object_ = grammar_.in_object();
  key_ = in_object_ && !grammar_.takes(JsonTokenKind::scalar);
  if (!take(kind)) return;
  after_bracket_ = kind == JsonTokenKind::close_array || kind == JsonTokenKind::close_object;
  in_string_ = kind == JsonTokenKind::string;
  copy(kind == JsonTokenKind::scalar ? raw_.find_first_of(" \t\r\n,:[]{}\"", at_) - at_ : 1);
}

void RepairedJson::comma() {
  const char next = at(after_space(at_ + 1));
  const bool object = grammar_.in_object();
  bool surplus = false;
  if (grammar_.takes(JsonTokenKind::comma)) {
    // Two commas may mean a missing value, except in arrays of objects.
    surplus = next == (object ? '}' : ']') || (next == ',' && (object || after_bracket_));
  } else {
    surplus = object ? !grammar_.takes(JsonTokenKind::scalar) && next != ':' : next == '{';
  }
  if (surplus) return replace(JsonFault::surplus_comma, 1, "");
  if (!take(JsonTokenKind::comma)) return;
  after_bracket_ = false;
  copy(1);
}

bool RepairedJson::take(JsonTokenKind kind) {
  given_up_ = !grammar_.take(kind);
  return !given_up_;
}

// Continues in a string.
void RepairedJson::string() {
  const std::size_t end = std::min(raw_.size(), at_ + ahead / 2);
  std::size_t i = at_;
  while (i < end && is_plain(raw_[i])) ++i;
  if (i != at_) return copy(i - at_);
  const char c = raw_[i];
  const std::string_view rest = std::string_view(raw_).substr(i);
  if (c == '"') return quote();
  if (c == '\\') {
    const char escape = at(i + 1);
    const bool sound = escape == 'u' ? rest.size() >= 6 && std::all_of(rest.begin() + 2, rest.begin() + 6, is_hex)
                                     : escape != '\0' && std::string_view("\"\\/bfnrt").find(escape) != rest.npos;
    return sound ? copy(2) : replace(JsonFault::raw_backslash, 1, "\\\\");
  }
  if (static_cast<unsigned char>(c) < 0x20) return replace(JsonFault::control_character, 1, escaped_control(c));
  const std::size_t length = sequence_length(rest, 0);
  length != 0 ? copy(length) : replace(JsonFault::not_utf8, 1, "\xEF\xBF\xBD");
}

// Handles a quote in a string, which either ends the string or belongs to it.
void RepairedJson::quote() {
  if (closes(at_ + 1)) {
    in_string_ = false;
    return copy(1);
  }
  // The string may also be unterminated; the next key is then not part of its text.
  const bool unsure = key_ || is_key(at_) || (!in_object_ && at(after_space(at_ + 1)) == '"');
  if (unsure) {
    given_up_ = true;
  } else {
    replace(JsonFault::raw_quote, 1, "\\\"");
  }
}

// Returns whether a string may end before `i`, judged by the text from `i` on.
bool RepairedJson::closes(std::size_t i) const {
  i = after_space(i);
  if (i == raw_.size()) return true;
  const char c = raw_[i];
  if (key_) return c == ':';
  if (c == '"') return in_object_ && is_key(i);
  if (c == ',' && in_object_) {
    while (at(i) == ',') i = after_space(i + 1);
    return i == raw_.size() || raw_[i] == '}' || is_key(i);
  }
  if (c != (in_object_ ? '}' : ']')) return c == ',';
  i = after_space(i + 1);
  return i == raw_.size() || std::string_view(",]}[{").find(raw_[i]) != std::string_view::npos || is_key(i);
}

std::size_t RepairedJson::after_space(std::size_t i) const {
  return std::min(raw_.find_first_not_of(json_space, i), raw_.size());
}

// Returns the start of the text after the string at `i`.
std::size_t RepairedJson::after_string(std::size_t i) const {
  for (++i; i < raw_.size() && raw_[i] != '"'; ++i) {
    if (raw_[i] == '\\') ++i;
  }
  return std::min(i + 1, raw_.size());
}

// Returns whether there is a key at `i`, as far as the text is available.
bool RepairedJson::is_key(std::size_t i) const {
  if (at(i) != '"') return false;
  const std::size_t behind = after_space(after_string(i));
  return behind == raw_.size() ? !ended_ : raw_[behind] == ':';
}

void RepairedJson::copy(std::size_t n) {
  n = std::min(n, raw_.size() - at_);
  out_.append(raw_, at_, n);
  out_offset_ += n;
  advance(n);
}

// Replaces the next `n` bytes by `with`.
void RepairedJson::replace(JsonFault fault, std::size_t n, std::string_view with) {
  JsonRepairs& of_kind = repairs_[static_cast<std::size_t>(fault)];
  if (of_kind.count++ == 0) of_kind.first = place_;
  out_ += with;
  out_offset_ += with.size();
  advance(n);
  edits_.push_back({out_offset_, place_});
  constexpr std::size_t most_edits = std::size_t{1} << 20U;  // per item
  given_up_ = edits_.size() == most_edits;
}

void RepairedJson::advance(std::size_t n) {
  const std::string_view text = std::string_view(raw_).substr(at_, n);
  const std::size_t line_break = text.rfind('\n');
  place_.offset += n;
  if (line_break == std::string_view::npos) {
    place_.column += n;
  } else {
    place_.line += static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
    place_.column = n - line_break - 1;
  }
  at_ += n;
}

}  // namespace convert
