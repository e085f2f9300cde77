// SPDX-License-Identifier: MIT
// How much memory one document or message of an input may take. What is streamed is not limited.
#pragma once

#include <cstdint>
#include <optional>

namespace convert {

class Input;

// For tools, once, at the start (--max-expand). None is the default: the memory that is available, at most 16 GiB,
// and of compressed data no more than 1,000 times its bytes and 64 MiB.
void set_document_limit(std::optional<std::uint64_t> bytes);
// Returns the most bytes of a text that is kept as it is.
[[nodiscard]] std::uint64_t most_document_bytes();

// Throws Error(input) with the place and what to do if that much text of `input` is too much for one document or
// message. Text of compressed data counts three times, since it takes that when it has been parsed.
void check_document(const Input& input, std::uint64_t text_bytes);
// The same of memory that is filled from compressed data.
void check_expansion(const Input& input, std::uint64_t memory_bytes);

}  // namespace convert
