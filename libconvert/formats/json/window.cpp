// SPDX-License-Identifier: MIT
#include "formats/json/window.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "io/document_limit.h"
#include "util/utf8.h"

namespace convert {
namespace {

std::uint64_t count_lines(const char* p, std::size_t n) {
  std::uint64_t lines = 0;
  while (n >= 16) {
    // Sixteen one-byte counters, which the compiler keeps in one register.
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

// Returns the first control character inside a string; there must be one.
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

struct JsonWindow::Tokenizer {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
};

JsonWindow::JsonWindow(Input& input, std::size_t size, std::size_t largest, JsonPlace begin)
    : input_(input), window_(size), largest_(largest), tokenizer_(std::make_unique<Tokenizer>()), begin_(begin) {}

JsonWindow::~JsonWindow() = default;

void JsonWindow::begin() {
  if (begin_.offset == 0 && input_.peek(byte_order_mark.size()).starts_with(byte_order_mark)) {
    input_.skip(byte_order_mark.size());
    begin_.offset = byte_order_mark.size();
  }
  fill(false);
}

bool JsonWindow::at_end(bool behind) {
  while (cursor_.here() >= cursor_.end_) {
    if (exhausted()) return true;
    read_on(cut_text, behind);
  }
  return false;
}

std::string JsonWindow::take_rest() {
  buffer_[cut_] = behind_;
  const auto from = static_cast<std::size_t>(cursor_.here() - buffer_.get());
  const std::string_view begin(buffer_.get() + from, filled_ - from);
  if (exhausted_) return std::string(begin);
  std::string text = input_.read_rest(begin.size(), Held::text);
  text.insert(0, begin);
  return text;
}

std::string_view JsonWindow::text_from(std::uint64_t offset) const {
  if (offset < begin_.offset || offset - begin_.offset > cut_) return {};
  return std::string_view(buffer_.get(), cut_).substr(offset - begin_.offset);
}

// Returns the last position at or before `at` with a known line and column: the start of the buffer, or the end of
// a repair.
std::pair<const char*, JsonPlace> JsonWindow::known_place_before(const char* at) const {
  if (repaired_ != nullptr) {
    const std::uint64_t place = repaired_begin_ + static_cast<std::uint64_t>(at - buffer_.get());
    if (const auto* const edit = repaired_->last_edit(repaired_begin_, place))
      return {buffer_.get() + (edit->offset - repaired_begin_), edit->place};
  }
  return {buffer_.get(), begin_};
}

JsonPlace JsonWindow::place_of(const char* at) const {
  const auto [known, place] = known_place_before(at);
  const auto done = static_cast<std::size_t>(at - known);
  const auto* const line_break = static_cast<const char*>(::memrchr(known, '\n', done));
  return {.offset = place.offset + done,
          .line = line_of(at),
          .column = line_break == nullptr ? place.column + done : static_cast<std::uint64_t>(at - line_break) - 1};
}

std::uint64_t JsonWindow::line_of(const char* at) const {
  const auto [known, place] = known_place_before(at);
  // Positions are mostly queried in ascending order.
  const bool further = counted_to_ != nullptr && known <= counted_to_ && counted_to_ <= at;
  const char* const from = further ? counted_to_ : known;
  counted_lines_ = (further ? counted_lines_ : place.line) + count_lines(from, static_cast<std::size_t>(at - from));
  counted_to_ = at;
  return counted_lines_;
}

const char* JsonWindow::begin_of_item(const char* from) const {
  const std::string_view text(buffer_.get(), filled_);
  const auto behind_space = [&](std::size_t i) {
    return std::min(text.find_first_not_of(json_space, i), text.size());
  };
  std::size_t i = behind_space(static_cast<std::size_t>(from - text.data()));
  if (i < text.size() && text[i] == ',') i = behind_space(i + 1);
  return text.data() + i;
}

Location JsonWindow::locate(const char* at) const {
  if (at < buffer_.get() || at > buffer_.get() + filled_) return {.file = input_.name()};
  return locate(place_of(at));
}

Location JsonWindow::locate(const JsonPlace& place) const {
  Location where{.file = input_.name()};
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (place.line <= most && place.column < most) {
    where.line = static_cast<std::uint32_t>(place.line);
    where.column = static_cast<std::uint32_t>(place.column + 1);
  } else {
    where.offset = static_cast<std::int64_t>(place.offset);
  }
  return where;
}

void JsonWindow::read_on(const char* at_end, bool behind) {
  item_ = cursor_.here();
  buffer_[cut_] = behind_;
  if (bad_text_ != nullptr) throw BadJson{bad_text_, bad_text_is_};
  if (exhausted_) {
    if (open_string_ != nullptr) throw BadJson{open_string_, "truncated JSON: the text ends inside a string"};
    throw BadJson{buffer_.get() + filled_, at_end};
  }
  drop(static_cast<std::size_t>(cursor_.here() - buffer_.get()));
  fill(behind);
  item_ = buffer_.get();
}

bool JsonWindow::repair(const char* item, JsonGrammar grammar, bool after_bracket) {
  constexpr std::size_t most_bytes = std::size_t{64} << 20U;
  if (buffer_ == nullptr) return false;
  const auto done = static_cast<std::size_t>(item - buffer_.get());
  if (repaired_ != nullptr || filled_ - done > most_bytes) return false;
  buffer_[cut_] = behind_;
  drop(done);
  repaired_ = std::make_unique<RepairedJson>(input_, std::string(buffer_.get(), filled_), begin_,
                                             std::move(grammar), after_bracket);
  repaired_begin_ = filled_ = 0;
  exhausted_ = false;
  bad_text_ = open_string_ = nullptr;
  fill(false);
  item_ = buffer_.get();
  return true;
}

// Removes the first bytes of the buffer.
void JsonWindow::drop(std::size_t done) {
  char* const text = buffer_.get();
  if (done == 0) return;
  begin_ = place_of(text + done);
  repaired_begin_ += done;
  counted_to_ = nullptr;
  std::memmove(text, text + done, filled_ - done);
  filled_ -= done;
}

// Reads on until a window with further tokens is available.
void JsonWindow::fill(bool behind) {
  std::size_t searched = filled_;  // searched for a bracket up to here
  for (std::size_t wanted = std::max(window_, 2 * filled_);; wanted *= 2) {
    wanted = std::min(wanted, largest_);
    if (filled_ >= largest_) {
      throw BadJson{begin_of_item(buffer_.get()), "a value of " + std::to_string(largest_) + " bytes or more"};
    }
    if (wanted > capacity_) {
      if (capacity_ != 0) check_document(input_, wanted, Held::parsed);
      auto larger = std::make_unique_for_overwrite<char[]>(wanted + simdjson::SIMDJSON_PADDING);
      if (filled_ != 0) std::memcpy(larger.get(), buffer_.get(), filled_);
      buffer_ = std::move(larger);
      capacity_ = wanted;
      counted_to_ = nullptr;
    }
    if (!exhausted_) {
      Input& input = repaired_ != nullptr ? *repaired_ : input_;
      const std::size_t got = input.read(buffer_.get() + filled_, wanted - filled_);
      exhausted_ = got < wanted - filled_;
      filled_ += got;
    }
    // No item is cut after the document, whatever follows.
    if (exhausted_ || behind) return tokenize(filled_);
    // Cut after a closing bracket: this is mostly the end of an item, and never inside a scalar.
    const auto is_bracket = [&](std::size_t i) { return buffer_[i] == '}' || buffer_[i] == ']'; };
    std::size_t cut = filled_;
    while (cut > searched && !is_bracket(cut - 1)) --cut;
    if (cut > searched) return tokenize(cut);
    searched = filled_;
  }
}

void JsonWindow::tokenize(std::size_t cut) {
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
    // Closed temporarily, the string becomes the last token; after a backslash, this takes two quotes.
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
    // The window ends at the invalid byte, because the text before it may be malformed too.
    const bool control = error == simdjson::UNESCAPED_CHARS;
    bad_text_ =
        control ? find_control_character({text, cut}) : text + std::min(find_invalid_utf8({text, cut}), cut);
    bad_text_is_ = control ? "control character in a string" : "is not UTF-8 text";
    return tokenize(static_cast<std::size_t>(bad_text_ - text));
  } else if (error != simdjson::SUCCESS) {
    throw BadJson{text, simdjson::error_message(error)};
  }
  open_string_ = nullptr;
  if (open && n > 0) {
    // The window ends before the string.
    cut = parser->structural_indexes[--n];
    open_string_ = text + cut;
  }
  // After the last token, the cursor always finds a zero byte.
  for (std::uint32_t i = n; i < n + 3; ++i) parser->structural_indexes[i] = static_cast<std::uint32_t>(cut);
  cut_ = cut;
  behind_ = std::exchange(text[cut], '\0');
  cursor_.base_ = text;
  cursor_.end_ = text + cut;
  cursor_.token_ = parser->structural_indexes.get();
}

}  // namespace convert
