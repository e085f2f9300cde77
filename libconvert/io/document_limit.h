// SPDX-License-Identifier: MIT
// Limits the memory that a document or message of an input takes, and what compressed data expands to.
#pragma once

#include <cstdint>
#include <optional>

namespace convert {

enum class Held : std::uint8_t;
class Input;

// Sets the limit (--max-expand); tools call it once, at the start. Without it the limit is the available memory, at
// most 16 GiB; for compressed data it is also 64 MiB + 1,000 times its bytes.
void set_document_limit(std::optional<std::uint64_t> bytes);
// Returns the limit in bytes, compression aside.
[[nodiscard]] std::uint64_t most_document_bytes();

// Throws Error(input) that says what to do if so much text of `input`, a document or message, is above the limit.
// Compressed text that is parsed as a whole counts three times, as parsing takes so much memory.
void check_document(const Input& input, std::uint64_t text_bytes, Held as);
// Throws likewise if so much memory is above the limit of compressed data, and `input` is compressed.
void check_expansion(const Input& input, std::uint64_t memory_bytes);
// Throws likewise where the contents of `input` are compressed blocks, whether it is compressed as a whole or not.
// `memory_bytes` is the memory for the bytes before `end`; the limit follows from the size of the whole input if
// that is known.
void check_blocks(const Input& input, std::uint64_t end, std::uint64_t memory_bytes);

// Throws Error(input) if compressed data has expanded to more than 1 GiB + 1,000 times its bytes: no trace does,
// and reading on could take hours. --max-expand raises this limit, too.
void check_stream(const Input& input, std::uint64_t text_bytes);

// Returns whether so much text in so few bytes is near the limit of compressed data: writers then compress less.
[[nodiscard]] bool is_too_dense(std::uint64_t text_bytes, std::uint64_t compressed_bytes);

}  // namespace convert
