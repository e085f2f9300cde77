// SPDX-License-Identifier: MIT
// Values of a log in JSON, one after another.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "calibrate/read/source.h"
#include "formats/json/cursor.h"
#include "formats/json/tokens.h"
#include "formats/json/window.h"
#include "io/input.h"

namespace convert {

// Consumes an object. take(key) consumes the value of each member.
template <class Take>
void json_members(JsonCursor& in, const Take& take) {
  in.object([&] {
    const std::string_view key = in.string();
    in.expect(':');
    take(key);
  });
}
// Consumes an object like json_members(); skips any other value.
template <class Take>
void json_members_or_skip(JsonCursor& in, const Take& take) {
  if (in.peek() == '{') {
    json_members(in, take);
  } else {
    (void)in.skip();
  }
}
[[nodiscard]] inline std::string json_text(JsonCursor& in) {
  std::string text;
  append_unescaped(text, in.string());
  return text;
}

class BenchmarkJson {
 public:
  explicit BenchmarkJson(const BenchmarkSource& source)
      : source_(source), input_(memory_input(source.file, source.text)), window_(*input_, usual, largest) {}

  // Calls read(cursor) for the next value, and returns its result; nothing at the end. Omits a last value that is
  // cut, with a warning, unless it is the only one. The call is repeated if the value continues after the window,
  // so it must have no effect.
  template <class Read>
  auto next(const Read& read) {
    using Value = decltype(read(window_.cursor()));
    try {
      if (!window_.begun()) window_.begin();
      if (window_.at_end(false)) return std::optional<Value>();
      line_ = line_of(window_.cursor().here());
      std::optional<Value> value(window_.item(read));
      ++values_;
      return value;
    } catch (const BadJson& e) {
      if (values_ > 0 && e.what.starts_with("truncated")) {
        source_.warn(line_, "the last record is omitted: " + e.what);
        return std::optional<Value>();
      }
      Location where = window_.locate(e.at);
      where.file = source_.file;
      throw input_error(where, e.what, "benchmark");
    }
  }
  // Returns the line at which the last value begins.
  [[nodiscard]] std::uint32_t line() const { return line_; }
  // Returns the line of a position of the cursor.
  [[nodiscard]] std::uint32_t line_of(const char* at) const {
    return static_cast<std::uint32_t>(window_.line_of(at));
  }

 private:
  static constexpr std::size_t usual = std::size_t{256} << 10U;
  static constexpr std::size_t largest = std::size_t{1} << 30U;

  const BenchmarkSource& source_;
  std::unique_ptr<Input> input_;
  JsonWindow window_;
  std::uint32_t line_ = 0;
  std::uint64_t values_ = 0;
};

}  // namespace convert
