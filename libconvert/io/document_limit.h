// SPDX-License-Identifier: MIT
// Limits of the memory that one document or message of an input takes, and of what compressed data expands to.
#pragma once

#include <cstdint>
#include <optional>

namespace convert {

enum class Held : std::uint8_t;
class Input;

// Sets the limit (--max-expand); tools call it once, at the start. None is the default: the memory that is
// available, at most 16 GiB, and for compressed data no more than 1,000 times its bytes and 64 MiB.
void set_document_limit(std::optional<std::uint64_t> bytes);
// Returns how many bytes a text may have that is kept as it is.
[[nodiscard]] std::uint64_t most_document_bytes();

// Throws Error(input) with the place and what to do if that much text of `input` is too much for one document or
// message. Text of compressed data that is parsed as a whole counts three times: parsing takes that much memory.
void check_document(const Input& input, std::uint64_t text_bytes, Held as);
// Does the same for memory that is filled from compressed data.
void check_expansion(const Input& input, std::uint64_t memory_bytes);

// Throws Error(input) if a stream of compressed data has expanded to more than 1,000 times its bytes and 1 GiB: no
// trace does, and reading on could take hours. --max-expand raises this limit, too.
void check_stream(const Input& input, std::uint64_t text_bytes);

// Returns whether check_document() might refuse so much text in so few bytes: writers then compress less.
[[nodiscard]] bool is_too_dense(std::uint64_t text_bytes, std::uint64_t compressed_bytes);

}  // namespace convert
