// SPDX-License-Identifier: MIT
// Reads a named stream of bytes: a file, standard input or a member of an archive, decompressed on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace convert {

// How a document's text is held in memory: together with all that parsing makes of it, or as text that is read on.
enum class Held : std::uint8_t { parsed, text };

// Reads forward only. Failures of the system throw Error(system) with the file's name; a damaged or cut
// gzip or zstd stream throws Error(input) with the offset.
class Input {
 public:
  virtual ~Input() = default;
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  // Returns the bytes consumed so far, counted after decompression.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  // Returns the uncompressed size where it is certain (a plain regular file, a member of a plain tar file), so that
  // the caller may reserve it; nothing where a header merely claims it.
  [[nodiscard]] std::optional<std::uint64_t> size() const { return size_; }

  // Returns the bytes of compressed data behind this stream, as far as they are known (for an archive's member
  // those of the whole archive); nothing where nothing is compressed.
  [[nodiscard]] virtual std::optional<std::uint64_t> compressed_bytes() const { return std::nullopt; }
  // Tells that the caller holds the stream, from its start, as one document: reading on throws Error(input) where
  // that takes too much memory (see document_limit.h). peek() and read_rest(), which hold text, always have limits.
  void hold(Held as = Held::parsed) { held_ = as; }

  // Returns the next bytes without consuming them: at least min(n, rest of the stream). Valid until the next call.
  // Memory grows only as bytes really arrive, whatever n is.
  [[nodiscard]] std::string_view peek(std::size_t n);
  // Consumes n bytes that peek has shown.
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

// Opens a file, or standard input for "-" (named "<stdin>"); decompresses gzip and zstd, known by content. Throws
// Error(system) if it cannot be opened or read, Error(input) if it is a directory or compressed data cut at once.
[[nodiscard]] std::unique_ptr<Input> open_input(const std::string& path);
// Returns an Input over bytes in memory, which must outlive it.
[[nodiscard]] std::unique_ptr<Input> memory_input(std::string name, std::string_view bytes);

}  // namespace convert
