// SPDX-License-Identifier: MIT
// HTML pages for browsers: one file each, without network access. A page is a shell (markup, style, program) and
// one block of data: a JSON head and columns of numbers. The programs are in web/ and built into the library.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/output.h"

namespace convert {

enum class PageKind : std::uint8_t { report, compare, ten, graph };

// A column of the data block. The page receives it as a typed array of this type.
struct Column {
  enum class Code : std::uint8_t {
    raw,    // unchanged
    delta,  // differences, for sorted or slowly changing integers: one byte for each small difference
    dict,   // one byte for each small integer, such as an index of a text in the head
  };
  std::string name;
  std::variant<std::vector<std::uint8_t>, std::vector<std::int32_t>, std::vector<double>> values;
  Code code = Code::raw;
};

// Returns whether this library was built with pages (ETKIT_PAGES).
[[nodiscard]] bool has_pages();

// Maximum number of characters of a page's encoded data, and of its head: the longest string of Chromium has 2^29 -
// 24.
inline constexpr std::size_t most_page_characters = (std::size_t{1} << 29) - 24;

// Throws Error(input) if a browser cannot hold the data: a head or encoded data beyond most_page_characters, or
// more than 2^31-1 bytes before compression.
void check_page_size(std::string_view title, std::size_t head_bytes, std::size_t data_bytes,
                     std::size_t encoded_characters);

// Writes a page. `head` is a JSON object with all data that are not columns; the member "columns" is added to it.
// Doubles in encoded columns must be integers of at most 2^53. Does not close `output`. Throws Error(usage) if the
// library was built without pages, and Error(input) like check_page_size(), before anything is written.
void write_page(PageKind kind, std::string_view title, std::string_view head, std::span<const Column> columns,
                Output& output);

// Returns the data block before compression: the length of the head (32 bits, little-endian), the head with
// "columns" added, and the columns. The `offset`s in the head count from the end of the head.
[[nodiscard]] std::string page_data(std::string_view head, std::span<const Column> columns);

}  // namespace convert
