// SPDX-License-Identifier: MIT
// Window on a JSON text for a JsonCursor: memory does not grow with the text, whose size is unlimited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/diagnostic.h"
#include "formats/json/cursor.h"
#include "formats/json/repair.h"
#include "io/input.h"

namespace convert {

// Members throw BadJson on malformed text.
class JsonWindow {
 public:
  static constexpr std::size_t usual_size = std::size_t{1} << 20U;
  static constexpr const char* cut_text = "truncated JSON: the text ends too early";

  // The window has `size` bytes, or more for a larger item; an item of `largest` bytes is rejected. The input
  // begins at `begin` of the text.
  JsonWindow(Input& input, std::size_t size, std::size_t largest, JsonPlace begin = {});
  ~JsonWindow();
  JsonWindow(const JsonWindow&) = delete;
  JsonWindow& operator=(const JsonWindow&) = delete;

  // Reads the first window and skips a byte order mark.
  void begin();
  [[nodiscard]] bool begun() const { return buffer_ != nullptr; }
  [[nodiscard]] JsonCursor& cursor() { return cursor_; }

  // Calls work(cursor), and repeats the call with more text if the item continues after the window. An incomplete
  // call must have no effect.
  template <typename Work>
  decltype(auto) item(const Work& work) {
    for (;;) {
      const JsonCursor begin = cursor_;
      item_ = begin.here();
      try {
        return work(cursor_);
      } catch (const JsonCursor::OutOfWindow&) {
        cursor_ = begin;
      }
      read_on(cut_text);
    }
  }
  // Like the members of the cursor, but extend the window if it ends here.
  [[nodiscard]] char peek() {
    while (cursor_.here() >= cursor_.end_) read_on(cut_text);
    return cursor_.peek();
  }
  [[nodiscard]] bool take(char c) { return peek() == c && cursor_.take(c); }
  void expect(char c) {
    (void)peek();
    cursor_.expect(c);
  }
  // Returns whether only white space follows. `behind`: no further item is allowed here.
  [[nodiscard]] bool at_end(bool behind);
  // Returns whether the window has shown the last token.
  [[nodiscard]] bool exhausted() const {
    return cursor_.here() >= cursor_.end_ && exhausted_ && open_string_ == nullptr && bad_text_ == nullptr;
  }
  // Moves the window to begin at the cursor and extends it. Throws BadJson with the text `at_end` if there is no
  // more. If `behind` (no further item is allowed), the window does not cut any item.
  void read_on(const char* at_end, bool behind = false);
  // Shows the text from `item` on again, as repaired by RepairedJson, which takes `grammar` and `after_bracket`.
  // Returns false, and does nothing, if repair() was called before, or if the rest of the window is so long that
  // repairs would take much memory.
  [[nodiscard]] bool repair(const char* item, JsonGrammar grammar, bool after_bracket);
  // Returns the repairs so far; null if repair() was not called.
  [[nodiscard]] const RepairedJson* repairs() const { return repaired_.get(); }
  // Returns the rest of the text from the cursor on; the window must not be used afterwards.
  [[nodiscard]] std::string take_rest();

  // Returns the start of the last item of item() or read_on().
  [[nodiscard]] const char* last_item() const { return item_; }
  // Returns the buffered text from `offset` on; empty if the buffer does not contain the offset.
  [[nodiscard]] std::string_view text_from(std::uint64_t offset) const;
  // Returns the line of a position in the window.
  [[nodiscard]] std::uint64_t line_of(const char* at) const;
  [[nodiscard]] JsonPlace place_of(const char* at) const;
  [[nodiscard]] Location locate(const char* at) const;
  [[nodiscard]] Location locate(const JsonPlace& place) const;
  // Returns the start of an item, after the comma that precedes it.
  [[nodiscard]] const char* begin_of_item(const char* from) const;

 private:
  struct Tokenizer;

  void fill(bool behind);
  void tokenize(std::size_t cut);
  void drop(std::size_t done);
  [[nodiscard]] std::pair<const char*, JsonPlace> known_place_before(const char* at) const;

  Input& input_;
  std::unique_ptr<RepairedJson> repaired_;  // if set, read instead of `input_`
  std::uint64_t repaired_begin_ = 0;        // offset of the buffer in the repaired text
  std::size_t window_;
  std::size_t largest_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;  // without the padding
  std::size_t filled_ = 0;
  std::size_t cut_ = 0;  // end of the window
  char behind_ = 0;      // the byte of the text at cut_, replaced by the zero byte of the window
  bool exhausted_ = false;
  const char* open_string_ = nullptr;  // a string that does not end in the window
  const char* bad_text_ = nullptr;     // invalid text, where the window ends
  const char* bad_text_is_ = nullptr;
  const char* item_ = nullptr;
  JsonPlace begin_;  // position of the buffer
  // The last position in the buffer whose line was counted, and its line.
  mutable const char* counted_to_ = nullptr;
  mutable std::uint64_t counted_lines_ = 1;
  JsonCursor cursor_;
};

}  // namespace convert
