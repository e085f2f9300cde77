// SPDX-License-Identifier: MIT
#include "page/page.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include "core/diagnostic.h"
#include "core/units.h"
#include "io/compression.h"
#include "page/assets.h"
#include "util/base64.h"
#include "util/json_writer.h"
#include "util/utf8.h"

namespace convert {
namespace {

static_assert(std::endian::native == std::endian::little, "columns are written as they are in memory");

constexpr std::string_view licences =
    R"(This page was written by etkit (MIT licence). Its program contains parts of these, by their licences:
d3-axis, d3-collection, d3-color, d3-format, d3-interpolate, d3-path, d3-scale, d3-selection, d3-shape, d3-time,
d3-time-format: Copyright 2010-2017 Mike Bostock; BSD-3-Clause.
d3-array: Copyright 2010-2021 Mike Bostock; ISC.

BSD-3-Clause: Redistribution and use in source and binary forms, with or without modification, are permitted provided
that the following conditions are met: Redistributions of source code must retain the above copyright notice, this list
of conditions and the following disclaimer. Redistributions in binary form must reproduce the above copyright notice,
this list of conditions and the following disclaimer in the documentation and/or other materials provided with the
distribution. Neither the name of the author nor the names of contributors may be used to endorse or promote products
derived from this software without specific prior written permission.
THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES,
INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL,
SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY,
WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF
THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.

ISC: Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby
granted, provided that the above copyright notice and this permission notice appear in all copies.
THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
)";

// Returns the text escaped for HTML; characters that HTML does not allow become U+FFFD.
std::string html_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = c < 0x80 ? 1 : sequence_length(text, i);
    if (length == 0 || c == 0 || is_c1_control(text.substr(i, length))) {
      out += "\xEF\xBF\xBD";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else {
      out += text.substr(i, length);
      i += length - 1;
    }
  }
  return out;
}

// Appends an unsigned number in LEB128: seven bits per byte, lowest first; the high bit marks that more bytes
// follow.
void append_leb128(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

// Appends a signed number in zigzag encoding, so that small numbers of both signs are short.
void append_zigzag(std::string& out, std::int64_t value) {
  append_leb128(out, (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

template <typename T>
void append_values(std::string& out, const std::vector<T>& values, Column::Code code) {
  if (code == Column::Code::raw) {
    out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    return;
  }
  std::int64_t before = 0;
  for (const T value : values) {
    const auto whole = static_cast<std::int64_t>(value);
    append_zigzag(out, whole - before);
    if (code == Column::Code::delta) before = whole;
  }
}

std::string_view kind_name(const Column& column) {
  constexpr std::string_view names[] = {"u8", "i32", "f64"};
  return names[column.values.index()];
}

std::string_view code_name(Column::Code code) {
  constexpr std::string_view names[] = {"raw", "delta", "dict"};
  return names[static_cast<std::size_t>(code)];
}

}  // namespace

bool has_pages() { return !page_style().empty(); }

std::string page_data(std::string_view head, std::span<const Column> columns) {
  std::string json(head.substr(0, head.rfind('}')));
  std::string body;
  json += json.find_first_not_of(" \n", json.find('{') + 1) == std::string::npos ? "\"columns\":" : ",\"columns\":";
  JsonWriter w(json);
  w.begin_array();
  for (const Column& column : columns) {
    const std::size_t offset = body.size();
    std::visit([&](const auto& values) { append_values(body, values, column.code); }, column.values);
    w.begin_object().member("name", column.name);
    w.member("rows", std::visit([](const auto& values) { return values.size(); }, column.values));
    w.member("kind", kind_name(column)).member("code", code_name(column.code));
    w.member("offset", offset).member("bytes", body.size() - offset).end_object();
  }
  w.end_array();
  json += '}';
  const auto length = static_cast<std::uint32_t>(json.size());
  std::string data(sizeof length, '\0');
  std::memcpy(data.data(), &length, sizeof length);
  return data + json + body;
}

void check_page_size(std::string_view title, std::size_t head_bytes, std::size_t data_bytes,
                     std::size_t encoded_characters) {
  constexpr std::size_t most_bytes = (std::size_t{1} << 31) - 1;
  const auto refuse = [&](const std::string& what, std::size_t has, std::size_t most) {
    throw input_error({}, "page '" + std::string(title) + "': " + what + " of " + counted(has, "byte") +
                              " exceeds the " + std::to_string(most) +
                              " bytes that a browser holds; choose fewer ranks or a shorter time window");
  };
  if (head_bytes > most_page_characters) refuse("text", head_bytes, most_page_characters);
  if (data_bytes > most_bytes) refuse("data", data_bytes, most_bytes);
  if (encoded_characters > most_page_characters)
    refuse("compressed data", encoded_characters, most_page_characters);
}

void write_page(PageKind kind, std::string_view title, std::string_view head, std::span<const Column> columns,
                Output& output) {
  const PageProgram program = page_program(kind);
  if (program.script.empty()) {
    throw usage_error("this etkit was built without pages; build it with -DETKIT_PAGES=ON (Debian: esbuild)");
  }
  std::string data = page_data(head, columns);
  std::uint32_t head_bytes = 0;
  std::memcpy(&head_bytes, data.data(), sizeof head_bytes);
  check_page_size(title, head_bytes, data.size(), 0);
  std::string base64;
  append_base64(base64, deflated(data));
  check_page_size(title, head_bytes, data.size(), base64.size());
  data = {};
  output.write("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  output.write("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '");
  output.write(program.csp_hash);
  output.write("'; style-src 'unsafe-inline'; img-src data:\">\n");
  output.write("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
  output.write(html_text(title));
  output.write("</title>\n<!--\n");
  output.write(licences);
  output.write("-->\n<style>");
  output.write(page_style());
  output.write(
      "</style>\n</head>\n<body>\n<noscript><p class=\"message\">This page requires scripts: allow it to run "
      "them. It loads nothing and sends nothing.</p></noscript>\n");
  output.write("<script type=\"application/octet-stream\" id=\"data\" data-codec=\"deflate\">");
  output.write(base64);
  output.write("</script>\n<script type=\"module\">");
  output.write(program.script);
  output.write("</script>\n</body>\n</html>\n");
}

}  // namespace convert
