// SPDX-License-Identifier: MIT
// Data that the graph formats draw: dependencies, missing parents, and messages between ranks.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace.h"
#include "formats/graphs/drawn_rank.h"
#include "graph/graph.h"
#include "graph/kept_nodes.h"
#include "graph/messages.h"
#include "io/output.h"
#include "util/utf8.h"

namespace convert::drawing {

struct Drawing {
  std::vector<DrawnRank> ranks;
  std::vector<RankMessages> messages;  // by position in `ranks`; peers are positions too
};
// Return a drawing of finished ranks, or of traces, in their order.
[[nodiscard]] Drawing make_drawing(std::vector<DrawnRank> ranks);
[[nodiscard]] Drawing make_drawing(std::span<const Trace> traces);

// Returns the number of nodes that dot lays out: the nodes, and one for each level that an edge spans.
[[nodiscard]] double layout_work(const Drawing& drawing);

// Returns the node fields that a drawing, or an excerpt before it, requires.
[[nodiscard]] const NodeParts& drawn_parts();

// Returns the duration of a node from duration_nanos, else from duration_micros. Returns 0 if it has none, and a
// negative number if it exceeds 63 bits.
[[nodiscard]] std::int64_t duration_ns(const DrawnNode& node);

// Returns the comm_type number of a collective and its name, such as "ALL_REDUCE"; the name is empty if unknown.
[[nodiscard]] std::pair<std::optional<std::int64_t>, std::string_view> collective_of(const DrawnNode& node);

// Buffer of text for an Output, written in pieces of 1 MiB.
class Writer {
 public:
  explicit Writer(Output& output) : output_(output), buffer_(capacity) {}
  template <std::size_t n>
  Writer& operator<<(const char (&literal)[n]) {
    std::memcpy(room(n), literal, n - 1);  // constant size: no function call
    used_ += n - 1;
    return *this;
  }
  Writer& operator<<(std::string_view s) {
    if (s.empty()) return *this;  // data() may be null, which is invalid for memcpy
    if (s.size() > capacity) return append_large(s);
    std::memcpy(room(s.size()), s.data(), s.size());
    used_ += s.size();
    return *this;
  }
  Writer& operator<<(char c) {
    *room(1) = c;
    ++used_;
    return *this;
  }
  template <std::integral T>
  requires(!std::same_as<T, char> && !std::same_as<T, bool>) Writer& operator<<(T number) {
    char* const at = room(20);
    used_ += static_cast<std::size_t>(std::to_chars(at, at + 20, number).ptr - at);
    return *this;
  }
  // Appends at most `size` bytes: `write(char*)` writes them and returns their end.
  template <typename Write>
  void append_with(std::size_t size, const Write& write) {
    char* const at = room(size);
    used_ += static_cast<std::size_t>(write(at) - at);
  }
  void flush();

 private:
  static constexpr std::size_t capacity = std::size_t{1} << 20;
  char* room(std::size_t n) {
    if (capacity - used_ < n) flush();
    return buffer_.data() + used_;
  }
  Writer& append_large(std::string_view s);
  Output& output_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

// Names of nodes: "n7" in a drawing of one rank, "r3n7" in a drawing of several. Nodes with a repeated id get their
// index appended.
class DrawnNames {
 public:
  static constexpr std::size_t max_size = 64;
  DrawnNames(const DrawnRank& rank, bool many);
  // Writes up to max_size bytes and returns the end.
  char* write(std::uint32_t index, char* at) const {
    at = write_first(rank_.id(index), at);
    return rank_.duplicates.empty() ? at : write_place(index, at);
  }
  // Writes the name of the first node with an id; dependencies refer to that node.
  char* write_first(NodeId id, char* at) const {
    std::memcpy(at, prefix_.data(), prefix_.size());  // constant size: no function call
    return std::to_chars(at + prefix_size_, at + max_size, id).ptr;
  }
  void append(std::uint32_t index, Writer& out) const {
    out.append_with(max_size, [&](char* at) { return write(index, at); });
  }
  void append(const DrawnParent& parent, Writer& out) const {
    out.append_with(max_size, [&](char* at) { return write_first(parent.id, at); });
  }
  void append_missing(NodeId id, Writer& out) const {
    out << std::string_view(prefix_.data(), prefix_size_ - 1) << "missing" << id;
  }
  // Appends the name of the node that a broken dependency refers to.
  void append_parent(const GraphDefect& d, Writer& out) const {
    d.what == GraphDefect::What::self ? append(d.index, out) : append_missing(d.id, out);
  }

 private:
  char* write_place(std::uint32_t index, char* at) const;
  const DrawnRank& rank_;
  std::array<char, 16> prefix_{};  // "n", "r3n"
  std::size_t prefix_size_;
};

// A name that is used several times but formatted once.
class DrawnName {
 public:
  DrawnName(const DrawnNames& names, std::uint32_t index) : end_(names.write(index, text_.data())) {}
  [[nodiscard]] std::string_view view() const {
    return {text_.data(), static_cast<std::size_t>(end_ - text_.data())};
  }

 private:
  std::array<char, DrawnNames::max_size> text_;
  char* end_;
};

// Writes all messages: calls begin(), writes the sender, then calls end(receiver).
template <typename Begin, typename End>
void write_messages(const Drawing& drawing, Writer& out, const Begin& begin, const End& end) {
  std::vector<DrawnNames> names;
  for (const DrawnRank& r : drawing.ranks) names.emplace_back(r, drawing.ranks.size() > 1);
  for_each_message_pair(drawing.messages, [&](const MessagePair& m) {
    begin();
    names[m.from_rank].append(m.from_node, out);
    end(DrawnName(names[m.to_rank], m.to_node).view());
  });
}

// Set of printable ASCII characters that an escaper copies unchanged: all except up to four special characters.
class PlainText {
 public:
  explicit constexpr PlainText(std::string_view special) {
    for (std::size_t c = 0x20; c < 0x7f; ++c) plain_[c] = true;
    special_.fill(every_byte * 0x7f);
    for (std::size_t i = 0; i < special.size(); ++i) {
      plain_[static_cast<unsigned char>(special[i])] = false;
      special_.at(i) = every_byte * static_cast<unsigned char>(special[i]);
    }
  }
  // Returns the length of the prefix of `s` that consists of such characters.
  [[nodiscard]] std::size_t prefix(std::string_view s) const {
    std::size_t i = 0;
    while (i + 8 <= s.size() && all_plain(s.data() + i)) i += 8;
    while (i < s.size() && plain_[static_cast<unsigned char>(s[i])]) ++i;
    return i;
  }

 private:
  static constexpr std::uint64_t every_byte = 0x0101010101010101;
  // Sets the high bit of each byte of x below n ≤ 128; exact up to the lowest such byte.
  static constexpr std::uint64_t below(std::uint64_t x, std::uint64_t n) { return (x - every_byte * n) & ~x; }
  [[nodiscard]] bool all_plain(const char* eight) const {
    std::uint64_t x = 0;
    std::memcpy(&x, eight, 8);
    std::uint64_t bad = x | below(x, 0x20) | below(x ^ (every_byte * 0x7f), 1);
    for (const std::uint64_t c : special_) bad |= below(x ^ c, 1);
    return (bad & (every_byte * 0x80)) == 0;
  }
  std::array<bool, 256> plain_{};
  std::array<std::uint64_t, 4> special_{};  // each repeated in all eight bytes
};
inline constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

// Writes `s`: plain characters unchanged, each other character through special(character). The argument is empty
// for a byte that is not UTF-8.
template <typename Special>
void write_escaped(std::string_view s, const PlainText& plain, Writer& out, const Special& special) {
  for (std::size_t i = 0; i < s.size();) {
    const std::size_t run = plain.prefix(s.substr(i));
    out << s.substr(i, run);
    i += run;
    if (i == s.size()) return;
    const std::size_t length = static_cast<unsigned char>(s[i]) < 0x80 ? 1 : sequence_length(s, i);
    special(s.substr(i, length));
    i += std::max<std::size_t>(length, 1);
  }
}

// Appends a control character as text, such as "\x1b".
void append_hex(unsigned char c, Writer& out);

}  // namespace convert::drawing
