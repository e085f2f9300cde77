// SPDX-License-Identifier: MIT
// Limits the memory for a document or message of an input, and the expansion of compressed data.
#pragma once

#include <cstdint>
#include <optional>

namespace convert {

enum class Held : std::uint8_t;
class Input;

// Sets the limit (--max-expand); tools call it once, at the start. The default limit is the available memory, at
// most 16 GiB. For compressed data, it is also at most 64 MiB + 1,000 times its bytes.
void set_document_limit(std::optional<std::uint64_t> bytes);
// Returns the limit in bytes for uncompressed data.
[[nodiscard]] std::uint64_t most_document_bytes();

// Throws Error(input), with the next step, if `text_bytes` of `input`, a document or message, exceed the limit.
// Compressed text that is parsed as a whole counts three times, since parsing takes three times its memory.
void check_document(const Input& input, std::uint64_t text_bytes, Held as);
// Throws the same error if `memory_bytes` exceed the limit of compressed data and `input` is compressed.
void check_expansion(const Input& input, std::uint64_t memory_bytes);
// Throws the same error for an `input` whose contents are compressed blocks, whether it is compressed as a whole or
// not. `memory_bytes` is the memory for the bytes before `end`. The limit depends on the size of the whole input if
// that is known.
void check_blocks(const Input& input, std::uint64_t end, std::uint64_t memory_bytes);

// Throws Error(input) if compressed data has expanded to more than 1 GiB + 1,000 times its bytes: traces never do,
// and reading on could take hours. --max-expand raises this limit, too.
void check_stream(const Input& input, std::uint64_t text_bytes);

// Returns whether the compression ratio is near the limit of compressed data. Writers then compress less.
[[nodiscard]] bool is_too_dense(std::uint64_t text_bytes, std::uint64_t compressed_bytes);

}  // namespace convert
