// SPDX-License-Identifier: MIT
// Shows a JSON text through a window, for a JsonCursor: memory does not grow with the text, and its size has no
// limit.
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

  // The window has `size` bytes, or more for an item that needs them; an item of `largest` bytes is refused. The
  // input begins at `begin` of the text.
  JsonWindow(Input& input, std::size_t size, std::size_t largest, JsonPlace begin = {});
  ~JsonWindow();
  JsonWindow(const JsonWindow&) = delete;
  JsonWindow& operator=(const JsonWindow&) = delete;

  // Reads the first window, without the byte order mark that the text may begin with.
  void begin();
  [[nodiscard]] bool begun() const { return buffer_ != nullptr; }
  [[nodiscard]] JsonCursor& cursor() { return cursor_; }

  // Calls work(cursor), again with more of the text if it goes on after the window: an incomplete call must have no
  // effect.
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
  // Do what the cursor's members do, and read on before where the window ends.
  [[nodiscard]] char peek() {
    while (cursor_.here() >= cursor_.end_) read_on(cut_text);
    return cursor_.peek();
  }
  [[nodiscard]] bool take(char c) { return peek() == c && cursor_.take(c); }
  void expect(char c) {
    (void)peek();
    cursor_.expect(c);
  }
  // Returns whether nothing but white space follows. `behind`: nothing else should.
  [[nodiscard]] bool at_end(bool behind);
  // Returns whether the window has shown the last token.
  [[nodiscard]] bool exhausted() const {
    return cursor_.here() >= cursor_.end_ && exhausted_ && open_string_ == nullptr && bad_text_ == nullptr;
  }
  // Makes a window that begins at the cursor and goes further. Throws BadJson with that text if there is no more.
  // If no item should follow, none is cut by the window, whatever it is (`behind`).
  void read_on(const char* at_end, bool behind = false);
  // Shows the text again from `item` on, in the window, and all that follows, as RepairedJson repairs it: `grammar`
  // and `after_bracket` as there. Returns false, and does nothing, if that was done before, or the rest of the
  // window is so long that repairs would take much memory.
  [[nodiscard]] bool repair(const char* item, JsonGrammar grammar, bool after_bracket);
  // Returns the repairs so far; null if repair() was not called.
  [[nodiscard]] const RepairedJson* repairs() const { return repaired_.get(); }
  // Returns the rest of the text, from the cursor on; nothing can be read afterwards.
  [[nodiscard]] std::string take_rest();

  // Returns where the last item begins, as item() or read_on() has seen it.
  [[nodiscard]] const char* last_item() const { return item_; }
  // Returns what the buffer holds of the text from a place on; empty if it does not hold the place.
  [[nodiscard]] std::string_view text_from(std::uint64_t offset) const;
  // Returns the line of a place in the window.
  [[nodiscard]] std::uint64_t line_of(const char* at) const;
  [[nodiscard]] JsonPlace place_of(const char* at) const;
  [[nodiscard]] Location locate(const char* at) const;
  [[nodiscard]] Location locate(const JsonPlace& place) const;
  // Returns where an item begins, behind the comma before it.
  [[nodiscard]] const char* begin_of_item(const char* from) const;

 private:
  struct Tokenizer;

  void fill(bool behind);
  void tokenize(std::size_t cut);
  void drop(std::size_t done);
  [[nodiscard]] std::pair<const char*, JsonPlace> known_place_before(const char* at) const;

  Input& input_;
  std::unique_ptr<RepairedJson> repaired_;  // what is shown instead of `input_`
  std::uint64_t repaired_begin_ = 0;        // of the buffer, in the repaired text
  std::size_t window_;
  std::size_t largest_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;  // without the padding
  std::size_t filled_ = 0;
  std::size_t cut_ = 0;  // end of the window
  char behind_ = 0;      // the byte of the text at cut_, where the window has its zero byte
  bool exhausted_ = false;
  const char* open_string_ = nullptr;  // that does not end in the window
  const char* bad_text_ = nullptr;     // the window ends at it
  const char* bad_text_is_ = nullptr;
  const char* item_ = nullptr;
  JsonPlace begin_;  // of the buffer
  // The last place in the buffer whose line was counted, and that line.
  mutable const char* counted_to_ = nullptr;
  mutable std::uint64_t counted_lines_ = 1;
  JsonCursor cursor_;
};

}  // namespace convert
