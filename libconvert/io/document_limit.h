// SPDX-License-Identifier: MIT
// How much memory one document or message of an input may take, and how much compressed data that is streamed may
// grow.
#pragma once

#include <cstdint>
#include <optional>

namespace convert {

enum class Held : std::uint8_t;
class Input;

// For tools, once, at the start (--max-expand). None is the default: the memory that is available, at most 16 GiB,
// and of compressed data no more than 1,000 times its bytes and 64 MiB.
void set_document_limit(std::optional<std::uint64_t> bytes);
// Returns the most bytes of a text that is kept as it is.
[[nodiscard]] std::uint64_t most_document_bytes();

// Throws Error(input) with the place and what to do if that much text of `input` is too much for one document or
// message. Text of compressed data that is parsed as a whole counts three times, since it takes that then.
void check_document(const Input& input, std::uint64_t text_bytes, Held as);
// The same of memory that is filled from compressed data.
void check_expansion(const Input& input, std::uint64_t memory_bytes);

// Throws Error(input) if a stream of compressed data has become longer than 1,000 times its bytes and 1 GiB: no
// trace does, and reading it through could take hours. --max-expand raises that, too.
void check_stream(const Input& input, std::uint64_t text_bytes);

// Whether so much text in so few bytes comes near what check_document() refuses: who writes takes more bytes then.
[[nodiscard]] bool is_too_dense(std::uint64_t text_bytes, std::uint64_t compressed_bytes);

}  // namespace convert
