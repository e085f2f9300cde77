// SPDX-License-Identifier: MIT
#include "formats/json/stream.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "util/utf8.h"

namespace convert {
namespace {

std::uint64_t count_lines(const char* p, std::size_t n) {
  std::uint64_t lines = 0;
  while (n >= 16) {
    // Sixteen counters of a byte each, which the compiler keeps in one register.
    const std::size_t blocks = std::min<std::size_t>(n / 16, 255);
    std::uint8_t lanes[16] = {};
    for (std::size_t b = 0; b < blocks; ++b) {
      for (std::size_t i = 0; i < 16; ++i) lanes[i] = static_cast<std::uint8_t>(lanes[i] + (p[b * 16 + i] == '\n'));
    }
    for (const std::uint8_t lane : lanes) lines += lane;
    p += blocks * 16;
    n -= blocks * 16;
  }
  return lines + static_cast<std::uint64_t>(std::count(p, p + n, '\n'));
}

// Returns the first control character inside a string; there is one.
const char* find_control_character(std::string_view text) {
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (inside && static_cast<unsigned char>(text[i]) < 0x20) return text.data() + i;
    if (text[i] == '"') {
      inside = !inside;
    } else if (text[i] == '\\' && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) >= 0x20) {
      ++i;
    }
  }
  return text.data();
}

}  // namespace

struct JsonStream::Tokenizer {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
};

JsonStream::JsonStream(Input& input, std::string_view array, bool bare, std::size_t window, std::size_t largest)
    : input_(input),
      array_(array),
      bare_(bare),
      window_(window),
      largest_(largest),
      tokenizer_(std::make_unique<Tokenizer>()) {}

JsonStream::~JsonStream() = default;

bool JsonStream::read_some(JsonItems& items) {
  if (buffer_ == nullptr) {
    if (input_.peek(byte_order_mark.size()).starts_with(byte_order_mark)) {
      input_.skip(byte_order_mark.size());
      offset_ = byte_order_mark.size();
    }
    fill();
  }
  const std::uint32_t* begin = cursor_.token_;
  try {
    for (;;) {
      begin = cursor_.token_;
      if (state_ == State::end && cursor_.here() >= cursor_.end_ && exhausted_ && open_string_ == nullptr &&
          bad_text_ == nullptr)
        return false;
      item(items);
    }
  } catch (const JsonCursor::OutOfWindow&) {
    if (std::exchange(in_element_, false)) items.undo();
    cursor_.token_ = begin;
    refill();
  } catch (const BadJson& e) {
    fail(e.at, e.what);
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::input || !e.where().file.empty()) throw;
    fail(begin_of_item(cursor_.base_ + *begin), e.what());
  }
  return true;
}

inline void JsonStream::item(JsonItems& items) {
  JsonCursor& in = cursor_;
  switch (state_) {
    case State::elements:
      if (in.take(']')) {
        state_ = bare_ && array_.empty() ? State::end : State::members;
        first_ = false;
        break;
      }
      if (!first_) in.expect(',');
      in_element_ = true;
      items.element(in);
      in_element_ = false;
      first_ = false;
      break;
    case State::members: member(items); break;
    case State::start:
      if (bare_ && in.take('[')) {
        seen_array_ = true;
        array_.clear();
        state_ = State::elements;
      } else {
        in.expect('{');
        state_ = State::members;
      }
      break;
    case State::end: in.fail("more text behind the document");
  }
}

void JsonStream::member(JsonItems& items) {
  JsonCursor& in = cursor_;
  if (in.take('}')) {
    state_ = State::end;
    return;
  }
  if (!first_) in.expect(',');
  const std::string_view raw = in.string();
  in.expect(':');
  std::string scratch;
  const std::string_view key = unescaped(raw, scratch);
  if (members_.contains(key) || (key == array_ && seen_array_)) {
    throw BadJson{raw.data() - 1, json_quoted(key) + " is given twice"};
  }
  if (key == array_) {
    in.expect('[');
    seen_array_ = first_ = true;
    state_ = State::elements;
    return;
  }
  items.member(key, in);
  members_.emplace(key);
  first_ = false;
}

std::uint64_t JsonStream::line_of(const char* at) const {
  const char* const begin = buffer_.get();
  const std::uint64_t place = offset_ + static_cast<std::uint64_t>(at - begin);
  // Places are asked for one after the other, mostly.
  const bool further = counted_to_ >= offset_ && counted_to_ <= place;
  const char* const from = further ? begin + (counted_to_ - offset_) : begin;
  counted_lines_ = (further ? counted_lines_ : line_) + count_lines(from, static_cast<std::size_t>(at - from));
  counted_to_ = place;
  return counted_lines_;
}

// Returns where an item begins, behind the comma before it.
const char* JsonStream::begin_of_item(const char* from) const {
  const std::string_view text(buffer_.get(), filled_);
  const auto behind_space = [&](std::size_t i) {
    return std::min(text.find_first_not_of(json_space, i), text.size());
  };
  std::size_t i = behind_space(static_cast<std::size_t>(from - text.data()));
  if (i < text.size() && text[i] == ',') i = behind_space(i + 1);
  return text.data() + i;
}

Location JsonStream::locate(const char* at) const {
  Location where{.file = input_.name()};
  const char* const begin = buffer_.get();
  if (at < begin || at > begin + filled_) return where;
  const char* line = at;
  while (line != begin && line[-1] != '\n') --line;
  const std::uint64_t column = static_cast<std::uint64_t>(at - line) + 1 + (line == begin ? column_ : 0);
  const std::uint64_t number = line_of(at);
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (number <= most && column <= most) {
    where.line = static_cast<std::uint32_t>(number);
    where.column = static_cast<std::uint32_t>(column);
  } else {
    where.offset = static_cast<std::int64_t>(offset_ + static_cast<std::uint64_t>(at - begin));
  }
  return where;
}

void JsonStream::fail(const char* at, const std::string& what) const { throw input_error(locate(at), what); }

// Goes on with the item that begins at the cursor.
void JsonStream::refill() {
  buffer_[cut_] = behind_;
  if (bad_text_ != nullptr) fail(bad_text_, bad_text_is_);
  if (exhausted_) {
    if (open_string_ != nullptr) fail(open_string_, "truncated JSON: the text ends inside a string");
    const char* const end = buffer_.get() + filled_;
    fail(end, state_ == State::start ? "is empty; a JSON document is expected"
                                     : "truncated JSON: the text ends too early");
  }
  drop(static_cast<std::size_t>(cursor_.here() - buffer_.get()));
  fill();
}

// Forgets the first bytes of the buffer.
void JsonStream::drop(std::size_t done) {
  char* const text = buffer_.get();
  if (done == 0) return;
  const auto* const line_break = static_cast<const char*>(::memrchr(text, '\n', done));
  if (line_break == nullptr) {
    column_ += done;
  } else {
    line_ += count_lines(text, done);
    column_ = static_cast<std::uint64_t>(text + done - line_break) - 1;
  }
  offset_ += done;
  std::memmove(text, text + done, filled_ - done);
  filled_ -= done;
}

// Reads on until a window with further tokens can be made.
void JsonStream::fill() {
  std::size_t searched = filled_;  // for a bracket
  for (std::size_t wanted = std::max(window_, 2 * filled_);; wanted *= 2) {
    wanted = std::min(wanted, largest_);
    if (filled_ >= largest_) {
      fail(begin_of_item(buffer_.get()), "a value of " + std::to_string(largest_) + " bytes or more");
    }
    if (wanted > capacity_) {
      auto larger = std::make_unique_for_overwrite<char[]>(wanted + simdjson::SIMDJSON_PADDING);
      if (filled_ != 0) std::memcpy(larger.get(), buffer_.get(), filled_);
      buffer_ = std::move(larger);
      capacity_ = wanted;
    }
    if (!exhausted_) {
      const std::size_t got = input_.read(buffer_.get() + filled_, wanted - filled_);
      exhausted_ = got < wanted - filled_;
      filled_ += got;
    }
    // No item is cut behind the document, whatever comes.
    if (exhausted_ || state_ == State::end) return tokenize(filled_);
    // Behind a closing bracket: mostly the end of an item, and never inside a scalar.
    const auto is_bracket = [&](std::size_t i) { return buffer_[i] == '}' || buffer_[i] == ']'; };
    std::size_t cut = filled_;
    while (cut > searched && !is_bracket(cut - 1)) --cut;
    if (cut > searched) return tokenize(cut);
    searched = filled_;
  }
}

void JsonStream::tokenize(std::size_t cut) {
  auto& parser = tokenizer_->parser;
  if (parser == nullptr || parser->capacity() < cut + 2) {
    parser.reset();
    const auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(
        capacity_ + 2, simdjson::DEFAULT_MAX_DEPTH, parser);
    if (error != simdjson::SUCCESS) throw std::bad_alloc();
  }
  char* const text = buffer_.get();
  const auto stage1 = [&](std::size_t size) {
    return parser->stage1(reinterpret_cast<const std::uint8_t*>(text), size, simdjson::stage1_mode::regular);
  };
  std::memset(text + filled_, 0, simdjson::SIMDJSON_PADDING);
  auto error = stage1(cut);
  const bool open = error == simdjson::UNCLOSED_STRING;
  if (open) {
    // Closed for a moment, the string is the last token; behind a backslash it takes two quotes.
    const std::array<char, 2> behind = {text[cut], text[cut + 1]};
    text[cut] = '"';
    error = stage1(cut + 1);
    if (error == simdjson::UNCLOSED_STRING) {
      text[cut + 1] = '"';
      error = stage1(cut + 2);
    }
    std::copy(behind.begin(), behind.end(), text + cut);
  }
  std::uint32_t n = parser->n_structural_indexes;
  if (error == simdjson::EMPTY) {
    n = 0;
  } else if (error == simdjson::UTF8_ERROR || error == simdjson::UNESCAPED_CHARS) {
    // The window ends there, for what is before it may be malformed too.
    const bool control = error == simdjson::UNESCAPED_CHARS;
    bad_text_ =
        control ? find_control_character({text, cut}) : text + std::min(find_invalid_utf8({text, cut}), cut);
    bad_text_is_ = control ? "control character in a string" : "is not UTF-8 text";
    return tokenize(static_cast<std::size_t>(bad_text_ - text));
  } else if (error != simdjson::SUCCESS) {
    fail(text, simdjson::error_message(error));
  }
  open_string_ = nullptr;
  if (open && n > 0) {
    // The window ends before the string.
    cut = parser->structural_indexes[--n];
    open_string_ = text + cut;
  }
  // Behind the last token the cursor finds a zero byte, as often as it looks.
  for (std::uint32_t i = n; i < n + 3; ++i) parser->structural_indexes[i] = static_cast<std::uint32_t>(cut);
  cut_ = cut;
  behind_ = std::exchange(text[cut], '\0');
  cursor_.base_ = text;
  cursor_.end_ = text + cut;
  cursor_.token_ = parser->structural_indexes.get();
}

}  // namespace convert
