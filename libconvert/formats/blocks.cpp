// SPDX-License-Identifier: MIT
#include "formats/blocks.h"

#include <algorithm>
#include <utility>

#include "io/document_limit.h"

namespace convert::blocks {
namespace {

constexpr std::size_t max_name = 255;
constexpr std::size_t max_head = max_name + 4 * 10;  // a name and four numbers

}  // namespace

void append_number(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>(value | 0x80U);
  out += static_cast<char>(value);
}

void append_text(std::string& out, std::string_view text) {
  append_number(out, text.size());
  out += text;
}

std::uint64_t Bytes::long_number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    if (shift == 63 && byte > 1) break;
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
  failed_ = true;
  return 0;
}

std::string_view Bytes::bytes(std::uint64_t size) {
  if (size > rest_.size()) {
    failed_ = true;
    return {};
  }
  const std::string_view found = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return found;
}

Writer::Writer(Output& out, const Kind& kind) : out_(out), kind_(kind) {
  std::string head(kind.magic);
  head += static_cast<char>(kind.version);
  out_.write(head);
}

void Writer::block(std::string_view name, std::size_t rows, std::string_view payload) {
  const std::string_view packed = zstd_.pack(payload);
  std::string head;
  append_text(head, name);
  append_number(head, rows);
  append_number(head, payload.size());
  append_number(head, packed.size());
  out_.write(head);
  out_.write(packed);
  ++blocks_;
  written_ += head.size() + packed.size();
  memory_ += kind_.memory(name, rows, payload.size());
}

bool Writer::dense() const { return is_too_dense(memory_, written_); }

void Writer::finish() {
  std::string end;
  append_text(end, "");
  append_number(end, blocks_);
  out_.write(end);
}

Reader::Reader(Input& input, const Kind& kind) : input_(input), kind_(kind) {
  const std::string_view head = input_.peek(kind.magic.size() + 1);
  const std::string noun(kind.noun);
  if (!head.starts_with(kind.magic)) throw failure(0, "this is not a " + noun + " file");
  if (head.size() == kind.magic.size()) throw cut();
  const auto found = static_cast<std::uint8_t>(head[kind.magic.size()]);
  if (found != kind.version) {
    throw failure(kind.magic.size(), "this " + noun + " was written by a newer etkit: its format is version " +
                                         std::to_string(found) + ", this etkit reads version " +
                                         std::to_string(kind.version));
  }
  input_.skip(kind.magic.size() + 1);
}

Error Reader::failure(std::uint64_t offset, const std::string& message) const {
  return input_error({.file = input_.name(), .offset = static_cast<std::int64_t>(offset)}, message,
                     std::string(kind_.rule));
}
Error Reader::damaged(std::uint64_t offset, const std::string& message) const {
  return failure(offset, "damaged " + std::string(kind_.noun) + ": " + message);
}
Error Reader::cut() const { return failure(input_.offset(), "the " + std::string(kind_.noun) + " is truncated"); }

std::uint64_t Reader::number() {
  const std::string_view next = input_.peek(10);
  std::size_t size = 0;
  while (size < next.size() && size < 10 && (static_cast<std::uint8_t>(next[size]) & 0x80U) != 0) ++size;
  if (size == next.size()) throw cut();
  Bytes bytes(next.substr(0, size + 1));
  const std::uint64_t value = bytes.number();
  if (bytes.failed()) throw damaged(input_.offset(), "a number is too long");
  input_.skip(size + 1);
  return value;
}

bool Reader::Sizes::possible() const {
  return rows != 0 && rows <= max_rows && payload <= max_payload && packed <= max_payload + max_payload / 128;
}

// Reads the heads of the blocks after the next block, which has `packed_size` bytes, until the file is no longer
// dense. Leaves the report of defects to next(). Buffers at most 1/800 of the memory that the blocks need.
void Reader::check_ahead(std::uint64_t packed_size) {
  std::uint64_t expected = expected_;
  std::uint64_t at = packed_size;
  for (;;) {
    const std::uint64_t end = input_.offset() + at;
    checked_up_to_ = std::max(checked_up_to_, end);
    if (!is_too_dense(expected, std::min(end, input_.compressed_bytes().value_or(end)))) return;
    check_blocks(input_, end, expected);
    const std::string_view rest = input_.peek(at + max_head);
    if (rest.size() <= at) return;
    Bytes head(rest.substr(at, max_head));
    const std::size_t before = head.size();
    const std::string_view name = head.text();
    const Sizes sizes{.rows = head.number(), .payload = head.number(), .packed = head.number()};
    if (head.failed() || name.empty() || !sizes.possible()) return;
    expected += kind_.memory(name, sizes.rows, sizes.payload);
    at += before - head.size() + sizes.packed;
  }
}

std::optional<Reader::Block> Reader::next() {
  input_.skip(std::exchange(shown_, 0));
  Block block{.offset = input_.offset()};
  const std::uint64_t name_size = number();
  if (name_size > max_name) throw damaged(block.offset, "a table's name is too long");
  block.name = input_.peek(name_size).substr(0, name_size);
  if (block.name.size() != name_size) throw cut();
  input_.skip(name_size);
  if (block.name.empty()) {
    if (number() != blocks_) throw damaged(block.offset, "blocks are missing");
    if (!input_.at_end()) throw failure(input_.offset(), "unexpected bytes after the " + std::string(kind_.noun));
    return std::nullopt;
  }
  const Sizes sizes{.rows = number(), .payload = number(), .packed = number()};
  if (!sizes.possible()) throw damaged(block.offset, "table " + block.name + " has a block of impossible size");
  expected_ += kind_.memory(block.name, sizes.rows, sizes.payload);
  if (input_.offset() + sizes.packed > checked_up_to_) check_ahead(sizes.packed);
  const std::string_view packed = input_.peek(sizes.packed).substr(0, sizes.packed);
  if (packed.size() != sizes.packed) throw cut();
  const auto payload = zstd_.unpack(packed, sizes.payload);
  if (!payload) throw damaged(block.offset, "a block of table " + block.name + " cannot be unpacked");
  block.rows = sizes.rows;
  block.payload = *payload;
  shown_ = sizes.packed;
  ++blocks_;
  return block;
}

void Reader::hold(std::uint64_t bytes) {
  held_ += bytes;
  if (held_ > most_document_bytes())
    throw failure(input_.offset(), "this " + std::string(kind_.noun) +
                                       " requires more memory than the limit; raise it with --max-expand");
  check_blocks(input_, input_.offset(), held_);
}

}  // namespace convert::blocks
