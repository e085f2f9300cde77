// SPDX-License-Identifier: MIT
#include "formats/json/stream.h"

#include <array>
#include <initializer_list>
#include <utility>

namespace convert {

bool JsonStream::read_some(JsonItems& items) {
  JsonCursor& in = window_.cursor();
  JsonCursor begin;
  try {
    if (!window_.begun()) window_.begin();
    try {
      for (;;) {
        begin = in;
        if (state_ == State::end && window_.exhausted()) return false;
        item(items, in);
      }
    } catch (const JsonCursor::OutOfWindow&) {
      if (std::exchange(in_element_, false)) items.undo();
    }
    in = begin;
    window_.read_on(state_ == State::start ? "is empty; a JSON document is expected" : JsonWindow::cut_text,
                    state_ == State::end);
  } catch (const BadJson& e) {
    if (repairs_ && repair(items, begin)) return true;
    throw input_error(window_.locate(e.at), e.what);
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::input || !e.where().file.empty()) throw;
    throw input_error(window_.locate(window_.begin_of_item(begin.here())), e.what());
  }
  return true;
}

// Starts to repair the text from the current item on. Returns false if repair was started before.
bool JsonStream::repair(JsonItems& items, const JsonCursor& begin) {
  using enum JsonTokenKind;
  if (state_ == State::end || window_.repairs() != nullptr) return false;
  if (std::exchange(in_element_, false)) items.undo();
  JsonGrammar before;
  const auto take = [&](std::initializer_list<JsonTokenKind> tokens) {
    for (const JsonTokenKind t : tokens) (void)before.take(t);
  };
  const bool elements = state_ == State::elements;
  if (state_ == State::members || (elements && !array_.empty())) take({open_object});
  if (elements && !array_.empty()) take({string, colon});
  if (elements) take({open_array});
  if (state_ != State::start && !first_) elements ? take({scalar}) : take({string, colon, scalar});
  return window_.repair(begin.here(), before, elements && !first_);
}

void JsonStream::read_all_repaired(JsonItems& items, Diagnostics& diagnostics) {
  repairs_ = true;
  read_all(items);
  if (window_.repairs() == nullptr) return;
  constexpr std::array<const char*, static_cast<std::size_t>(JsonFault::count_)> texts = {
      "missing commas were added",
      "surplus commas were ignored",
      "unescaped quotes in strings were taken as text",
      "control characters in strings were taken as text",
      "backslashes without a valid escape were taken as text",
      "bytes that are not UTF-8 were replaced by U+FFFD"};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const JsonRepairs& of_kind = window_.repairs()->repairs(static_cast<JsonFault>(i));
    if (of_kind.count == 0) continue;
    diagnostics.warning(window_.locate(of_kind.first), "json",
                        std::string("is not JSON: ") + texts[i] + ": " + std::to_string(of_kind.count) +
                            (of_kind.count == 1 ? "" : "; this is the first"));
  }
}

inline void JsonStream::item(JsonItems& items, JsonCursor& in) {
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
    case State::members: member(items, in); break;
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
    case State::end: in.fail("more text after the document");
  }
}

void JsonStream::member(JsonItems& items, JsonCursor& in) {
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

}  // namespace convert
