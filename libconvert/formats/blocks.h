// SPDX-License-Identifier: MIT
// Writes and reads files of named, compressed blocks: what run and master files are made of.
//
// The file: magic, the version as one byte, then blocks; numbers are LEB128, texts have their length before them.
//   block   its name, rows (1 … max_rows), size of the payload, size of it compressed, zstd frame with a checksum
// The empty name ends the file, with the number of blocks before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/diagnostic.h"
#include "io/input.h"
#include "io/output.h"
#include "io/zstd/block.h"

namespace convert::blocks {

inline constexpr std::size_t max_rows = 65'536;
inline constexpr std::size_t max_payload = std::size_t{64} << 20U;
inline constexpr std::size_t small_block_bytes = 1024;  // in a file of 40 bytes at least

void append_number(std::string& out, std::uint64_t value);
void append_text(std::string& out, std::string_view text);
// Return the number that stands for a difference, negative or not, and that difference.
[[nodiscard]] constexpr std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1U) ^ (0 - (difference >> 63U));
}
[[nodiscard]] constexpr std::uint64_t unzigzag(std::uint64_t number) {
  return (number >> 1U) ^ (0 - (number & 1U));
}

// Reads numbers and texts of a payload; a failure is remembered and gives 0.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool empty() const { return rest_.empty(); }
  [[nodiscard]] std::size_t size() const { return rest_.size(); }

  std::uint64_t number() {
    if (!rest_.empty() && static_cast<signed char>(rest_.front()) >= 0) {
      const auto value = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      return value;
    }
    return long_number();
  }
  std::string_view text() { return bytes(number()); }
  std::string_view bytes(std::uint64_t size);

 private:
  std::uint64_t long_number();

  std::string_view rest_;
  bool failed_ = false;
};

// The magic of a kind of file, its name in messages ("run"), and the memory that a reader needs for a block.
struct Kind {
  std::string_view magic;
  std::uint8_t version;
  std::string_view noun;
  std::string_view rule;
  std::uint64_t (*memory)(std::string_view table, std::uint64_t rows, std::uint64_t payload_bytes);
};

// Repetitive contents compress so well that a reader would take the file for a bomb: writers cut them into smaller
// blocks then, of small_block_bytes.
class Writer {
 public:
  Writer(Output& out, const Kind& kind);
  void block(std::string_view name, std::size_t rows, std::string_view payload);
  // Returns whether the blocks so far are near the limit of compressed data.
  [[nodiscard]] bool dense() const;
  void finish();

 private:
  Output& out_;
  const Kind& kind_;
  ZstdBlocks zstd_;
  std::uint64_t blocks_ = 0;
  std::uint64_t written_ = 0;  // bytes
  std::uint64_t memory_ = 0;
};

// Throws Error(input) with the offset if the file is cut or damaged, or of a newer version.
class Reader {
 public:
  Reader(Input& input, const Kind& kind);

  struct Block {
    std::uint64_t offset = 0;
    std::string name{};
    std::size_t rows = 0;
    std::string_view payload{};  // valid until the next one is read
  };
  // Returns the next block; nothing after the last. Throws Error(input) before it unpacks the first of many dense
  // blocks if the heads of those that follow add up to more memory than the limit of compressed data.
  [[nodiscard]] std::optional<Block> next();
  [[nodiscard]] Error failure(std::uint64_t offset, const std::string& message) const;
  // Returns such an error that begins with "damaged run: ".
  [[nodiscard]] Error damaged(std::uint64_t offset, const std::string& message) const;
  // Counts memory that the contents take. Throws Error(input) if it is above the limits of documents and of
  // compressed data (io/document_limit.h).
  void hold(std::uint64_t bytes);

 private:
  // The numbers at the start of a block.
  struct Sizes {
    std::uint64_t rows = 0, payload = 0, packed = 0;
    [[nodiscard]] bool possible() const;
  };
  [[nodiscard]] Error cut() const;
  std::uint64_t number();
  void check_ahead(std::uint64_t packed_size);

  Input& input_;
  const Kind& kind_;
  ZstdBlocks zstd_;
  std::size_t shown_ = 0;  // bytes of the block that was handed out
  std::uint64_t blocks_ = 0;
  std::uint64_t held_ = 0;
  std::uint64_t expected_ = 0;       // memory of the blocks so far, by Kind::memory
  std::uint64_t checked_up_to_ = 0;  // offset up to which check_ahead() has read heads
};

}  // namespace convert::blocks
