// SPDX-License-Identifier: MIT
#include "formats/json/stream.h"

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
    throw input_error(window_.locate(e.at), e.what);
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::input || !e.where().file.empty()) throw;
    throw input_error(window_.locate(window_.begin_of_item(begin.here())), e.what());
  }
  return true;
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
    case State::end: in.fail("more text behind the document");
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
