// SPDX-License-Identifier: MIT
// Compresses and decompresses gzip and zstd streams, and bytes in memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/input.h"
#include "io/output.h"

namespace convert {

// Returns a stream of the decompressed bytes if `input` begins like gzip or zstd, else `input` itself. All members
// of a gzip file and all frames of a zstd file are read. If data is truncated, damaged or followed by other bytes,
// this function or the stream throws Error(input) with an offset into the compressed bytes. Throws Error(input)
// that names the kind of content for Git LFS and git-annex pointers, zip, xz, bzip2, 7z, lz4, UTF-16 text and HTML
// pages.
[[nodiscard]] std::unique_ptr<Input> decompressed(std::unique_ptr<Input> input);

// Returns an Output that compresses into `output` and closes it when it is closed; `output` itself without
// compression. Equal bytes give equal compressed bytes.
[[nodiscard]] std::unique_ptr<Output> compressed(std::unique_ptr<Output> output, Compression compression);

// Returns bytes compressed in zlib format (RFC 1950), for blocks of data inside other files. Equal bytes give equal
// compressed bytes.
[[nodiscard]] std::string deflated(std::string_view bytes);

}  // namespace convert
