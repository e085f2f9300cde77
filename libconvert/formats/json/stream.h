// SPDX-License-Identifier: MIT
// Reader of a JSON document whose bulk is one array, item by item through a window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "formats/json/cursor.h"
#include "formats/json/window.h"
#include "io/input.h"

namespace convert {

// Receiver of the items of a document.
class JsonItems {
 public:
  virtual ~JsonItems() = default;
  // Reads one member of the outermost object, other than the array. Must consume all of it, as element() must.
  // After OutOfWindow the member is passed again, so an incomplete call must have no effect.
  virtual void member(std::string_view key, JsonCursor& in) = 0;
  virtual void element(JsonCursor& in) = 0;
  // Reverts the current element, which continues after the window and is passed again.
  virtual void undo() = 0;
};

class JsonStream {
 public:
  static constexpr std::size_t usual_window = JsonWindow::usual_size;
  static constexpr std::size_t largest_item = std::size_t{1} << 30U;

  // The array is the member `array` of the outermost object or, only if `bare`, the document itself. The window has
  // `window` bytes, or more for a larger item. read_some() rejects an item of `largest` bytes.
  JsonStream(Input& input, std::string_view array, bool bare, std::size_t window = usual_window,
             std::size_t largest = largest_item)
      : window_(input, window, largest), array_(array), bare_(bare) {}

  // Passes the items of a window to `items`. Returns false at the end of the document. Throws Error(input) with
  // line and column for malformed text, and if `items` throws BadJson or Error(input) without a file.
  [[nodiscard]] bool read_some(JsonItems& items);
  void read_all(JsonItems& items) {
    while (read_some(items)) {
    }
  }
  // Reads the whole document and repairs unambiguous faults (repair.h), with a warning for each kind of fault.
  void read_all_repaired(JsonItems& items, Diagnostics& diagnostics);
  [[nodiscard]] bool seen_array() const { return seen_array_; }
  // Returns the line of a position in the current item.
  [[nodiscard]] std::uint64_t line_of(const char* at) const { return window_.line_of(at); }

 private:
  enum class State : std::uint8_t { start, members, elements, end };

  [[nodiscard]] bool repair(JsonItems& items, const JsonCursor& begin);
  void item(JsonItems& items, JsonCursor& in);
  void member(JsonItems& items, JsonCursor& in);

  JsonWindow window_;
  std::string array_;
  bool bare_;
  State state_ = State::start;
  bool first_ = true;
  bool in_element_ = false;
  bool seen_array_ = false;
  bool repairs_ = false;                        // whether to repair faults
  std::set<std::string, std::less<>> members_;  // keys of the members read so far
};

}  // namespace convert
