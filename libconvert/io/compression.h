// SPDX-License-Identifier: MIT
// gzip and zstd as layers over an Input or an Output.
#pragma once

#include <memory>

#include "io/input.h"
#include "io/output.h"

namespace convert {

// `input` itself, or, if its first bytes are those of gzip or zstd, the bytes that were compressed: all members of
// a gzip file, all frames of a zstd file. Data that is cut, damaged or followed by something else is Error(input)
// with an offset into the compressed bytes.
[[nodiscard]] std::unique_ptr<Input> decompressed(std::unique_ptr<Input> input);

// Compresses into `output` and closes it with itself. Equal bytes give equal bytes: no time, no name.
[[nodiscard]] std::unique_ptr<Output> compressed(std::unique_ptr<Output> output, Compression compression);

}  // namespace convert
