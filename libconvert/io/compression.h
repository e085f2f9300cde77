// SPDX-License-Identifier: MIT
// Compresses and decompresses gzip and zstd between an Input or Output and its user; and bytes in memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/input.h"
#include "io/output.h"

namespace convert {

// Returns `input` itself, or, if it begins like gzip or zstd, a stream of the bytes that were compressed: all
// members of a gzip file, all frames of a zstd file. Data that is cut, damaged or followed by something else throws
// Error(input) with an offset into the compressed bytes, here or from the stream. Pointers of Git LFS and
// git-annex, zip, xz, bzip2, 7z, lz4, UTF-16 text and HTML pages throw Error(input) that names them.
[[nodiscard]] std::unique_ptr<Input> decompressed(std::unique_ptr<Input> input);

// Returns an Output that compresses into `output` and closes it when it is closed; `output` itself for none. Equal
// bytes give equal bytes.
[[nodiscard]] std::unique_ptr<Output> compressed(std::unique_ptr<Output> output, Compression compression);

// Returns bytes compressed as zlib does (RFC 1950), for blocks of data inside other files. Equal bytes give equal
// bytes.
[[nodiscard]] std::string deflated(std::string_view bytes);

}  // namespace convert
