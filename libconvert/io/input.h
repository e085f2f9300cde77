// SPDX-License-Identifier: MIT
// Named input stream of bytes: a file, standard input or a member of an archive, decompressed automatically.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace convert {

// How the text of a document is held in memory: with all data parsed from it, or as text only.
enum class Held : std::uint8_t { parsed, text };

// Forward-only input. System failures throw Error(system) with the file's name. A damaged or truncated gzip or zstd
// stream throws Error(input) with the offset.
class Input {
 public:
  virtual ~Input() = default;
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  // Returns the number of bytes consumed so far, counted after decompression.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  // Returns the uncompressed size if it is certain, so that the caller may reserve it: for a plain regular file and
  // a member of a plain tar file. Returns nothing if only a header claims a size.
  [[nodiscard]] std::optional<std::uint64_t> size() const { return size_; }

  // Returns the number of compressed bytes of this stream, as far as known; for an archive's member, of the whole
  // archive. Returns nothing if nothing is compressed.
  [[nodiscard]] virtual std::optional<std::uint64_t> compressed_bytes() const { return std::nullopt; }
  // Declares that the caller holds the stream, from its start, as one document. Further reads throw Error(input) if
  // that takes too much memory (see document_limit.h). peek() and read_rest(), which hold text, always have limits.
  void hold(Held as = Held::parsed) { held_ = as; }

  // Returns the next bytes without consuming them: at least min(n, rest of the stream). Valid until the next call.
  // Memory grows only as bytes arrive, for any n.
  [[nodiscard]] std::string_view peek(std::size_t n);
  // Consumes n bytes that peek() has returned.
  void skip(std::size_t n);
  // Consumes up to n bytes into `to`; fewer only at the end of the stream.
  std::size_t read(char* to, std::size_t n);
  // Consumes and returns the rest. Reserves capacity for `padding` more bytes, for parsers that read past the end.
  [[nodiscard]] std::string read_rest(std::size_t padding = 0, Held as = Held::parsed);
  [[nodiscard]] bool at_end() { return peek(1).empty(); }

 protected:
  Input(std::string name, std::optional<std::uint64_t> size) : name_(std::move(name)), size_(size) {}
  // Fills `to` with 1…n bytes; 0 at the end of the stream.
  virtual std::size_t fill(char* to, std::size_t n) = 0;

 private:
  std::string name_;
  std::optional<std::uint64_t> size_;
  std::uint64_t offset_ = 0;
  void make_room(std::size_t n);

  std::unique_ptr<char[]> buffer_;  // bytes read but not consumed: buffer_[begin_, end_)
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool exhausted_ = false;
  std::optional<Held> held_;
};

// Opens a file, or standard input for "-" (named "<stdin>"). Decompresses gzip and zstd, detected by content.
// Throws Error(system) if it cannot be opened or read, Error(input) if it is a directory or truncated compressed
// data.
[[nodiscard]] std::unique_ptr<Input> open_input(const std::string& path);
// Returns an Input that reads bytes in memory, which must outlive it.
[[nodiscard]] std::unique_ptr<Input> memory_input(std::string name, std::string_view bytes);

}  // namespace convert
