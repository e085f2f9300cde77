// SPDX-License-Identifier: MIT
// What the graph formats draw, read once from the traces: dependencies, missing parents, messages between ranks.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"
#include "graph/graph.h"
#include "graph/messages.h"
#include "io/output.h"

namespace convert::drawing {

struct DrawnRank {
  const Trace* trace = nullptr;
  Graph graph;
  RankMessages messages;                  // their peers are positions in Drawing::ranks, not ranks
  std::vector<std::uint32_t> duplicates;  // nodes whose id an earlier node has, ascending
  std::vector<GraphDefect> broken;        // dangling and self dependencies, by node
  std::vector<NodeId> missing;            // the ids that dangling ones name, ascending, each once
};

struct MessageEdge {
  std::uint32_t from_rank;  // positions in Drawing::ranks
  std::uint32_t to_rank;
  std::uint32_t from_node;  // indices in the trace
  std::uint32_t to_node;
};

struct Drawing {
  std::vector<DrawnRank> ranks;
  std::vector<MessageEdge> messages;  // the k-th send to the k-th receive of each source, destination and tag
};
[[nodiscard]] Drawing make_drawing(std::span<const Trace> traces);

// The attributes that are drawn, found in one pass; the first of a name counts.
class Facts {
 public:
  enum Slot : std::uint8_t {
    is_cpu_op,
    comm_type,
    comm_src,
    comm_dst,
    comm_tag,
    comm_size,
    pg_name,
    num_ops,
    tensor_size,
    msg_chunk_cnt,
    duration_nanos,
    count
  };
  void read(std::span<const Attr> attrs);
  [[nodiscard]] const Attr* operator[](Slot slot) const { return found_[slot]; }

 private:
  std::array<const Attr*, count> found_{};
};

// "ALL_REDUCE"; empty for a number that the schema does not know.
[[nodiscard]] std::string_view collective_name(std::int64_t type);

// Text on its way to an Output, in pieces of about 1 MiB.
class Writer {
 public:
  explicit Writer(Output& output) : output_(output) { text_.reserve(flush_size + 4096); }
  Writer& operator<<(std::string_view s) {
    text_ += s;
    return *this;
  }
  Writer& operator<<(char c) {
    text_ += c;
    return *this;
  }
  template <std::integral T>
  requires(!std::same_as<T, char> && !std::same_as<T, bool>) Writer& operator<<(T number) {
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    text_.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
    return *this;
  }
  [[nodiscard]] std::string& text() { return text_; }
  void flush_if_full() {
    if (text_.size() >= flush_size) flush();
  }
  void flush() {
    output_.write(text_);
    text_.clear();
  }

 private:
  static constexpr std::size_t flush_size = std::size_t{1} << 20;
  Output& output_;
  std::string text_;
};

// Names of nodes: "n7" in a drawing of one rank, "r3n7" of several; nodes with a used id get their place behind it.
class NodeNames {
 public:
  NodeNames(const DrawnRank& rank, bool many);
  void append(std::uint32_t index, Writer& out) const;
  void append_missing(NodeId id, Writer& out) const { out << prefix_ << "missing" << id; }

 private:
  const DrawnRank& rank_;
  std::string prefix_;
};

// Bytes that an escaper copies as they are; everything else takes its slow path.
using PlainBytes = std::array<bool, 256>;
[[nodiscard]] constexpr PlainBytes plain_bytes_without(std::string_view special) {
  PlainBytes plain{};
  for (std::size_t c = 0x20; c < 0x7f; ++c) plain[c] = true;
  for (const char c : special) plain[static_cast<unsigned char>(c)] = false;
  return plain;
}
[[nodiscard]] inline std::size_t plain_prefix(std::string_view s, const PlainBytes& plain) {
  std::size_t i = 0;
  while (i < s.size() && plain[static_cast<unsigned char>(s[i])]) ++i;
  return i;
}
// Length of the well-formed UTF-8 sequence that begins at s[i] ≥ 0x80; 0 if there is none.
[[nodiscard]] std::size_t sequence_length(std::string_view s, std::size_t i);
inline constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

// "\x1b": a control character made visible.
void append_hex(unsigned char c, std::string& out);

}  // namespace convert::drawing
