// SPDX-License-Identifier: MIT
// Writer and reader of files of named, compressed blocks: the container of run and class-compressed (.etm) files.
//
// The file: magic, version (one byte), blocks. Numbers are LEB128; texts are preceded by their length.
//   block   name, rows (1 … max_rows), payload size, compressed payload size, zstd frame with a checksum
// An empty name ends the file, followed by the number of blocks.
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
inline constexpr std::size_t small_block_bytes = 1024;  // takes at least 40 bytes in the file

void append_number(std::string& out, std::uint64_t value);
void append_text(std::string& out, std::string_view text);
// Zigzag encoding of a signed difference as an unsigned number, and its inverse.
[[nodiscard]] constexpr std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1U) ^ (0 - (difference >> 63U));
}
[[nodiscard]] constexpr std::uint64_t unzigzag(std::uint64_t number) {
  return (number >> 1U) ^ (0 - (number & 1U));
}

// Reader of the numbers and texts of a payload. After a failure, failed() is true and reads return 0 or nothing.
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

// A kind of file: its magic, its name in messages ("run"), and the memory that a reader needs for a block.
struct Kind {
  std::string_view magic;
  std::uint8_t version;
  std::string_view noun;
  std::string_view rule;
  std::uint64_t (*memory)(std::string_view table, std::uint64_t rows, std::uint64_t payload_bytes);
};

// Highly repetitive contents compress so well that a reader would reject the file as a decompression bomb. If
// dense(), the caller must split the contents into smaller blocks, of small_block_bytes.
class Writer {
 public:
  Writer(Output& out, const Kind& kind);
  void block(std::string_view name, std::size_t rows, std::string_view payload);
  // Returns whether the blocks so far are near the expansion limit of compressed data.
  [[nodiscard]] bool dense() const;
  void finish();

 private:
  Output& out_;
  const Kind& kind_;
  ZstdBlocks zstd_;
  std::uint64_t blocks_ = 0;
  std::uint64_t written_ = 0;  // in bytes
  std::uint64_t memory_ = 0;
};

// Throws Error(input) with the offset if the file is truncated, damaged, or of a newer version.
class Reader {
 public:
  Reader(Input& input, const Kind& kind);

  struct Block {
    std::uint64_t offset = 0;
    std::string name{};
    std::size_t rows = 0;
    std::string_view payload{};  // valid until the next block is read
  };
  // Returns the next block, or nothing after the last. Throws Error(input) before it unpacks the first of a series
  // of dense blocks if their heads announce more memory than the limit of compressed data.
  [[nodiscard]] std::optional<Block> next();
  [[nodiscard]] Error failure(std::uint64_t offset, const std::string& message) const;
  // Returns an error whose message begins with "damaged run: ", with the name of the kind.
  [[nodiscard]] Error damaged(std::uint64_t offset, const std::string& message) const;
  // Accounts for memory that the contents use. Throws Error(input) if the total exceeds the limits of documents and
  // of compressed data (io/document_limit.h).
  void hold(std::uint64_t bytes);

 private:
  // Sizes in the head of a block.
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
  std::size_t shown_ = 0;  // size of the last returned block in the input, not yet skipped
  std::uint64_t blocks_ = 0;
  std::uint64_t held_ = 0;
  std::uint64_t expected_ = 0;       // memory of the blocks so far, from Kind::memory
  std::uint64_t checked_up_to_ = 0;  // offset up to which check_ahead() has read heads
};

}  // namespace convert::blocks
