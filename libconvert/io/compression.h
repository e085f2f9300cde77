// SPDX-License-Identifier: MIT
// gzip and zstd as layers over an Input or an Output.
#pragma once

#include <memory>

#include "io/input.h"
#include "io/output.h"

namespace convert {

// Returns `input` itself, or, if it begins like gzip or zstd, a stream of the bytes that were compressed: all
// members of a gzip file, all frames of a zstd file. Reading data that is cut, damaged or followed by something
// else throws Error(input) with an offset into the compressed bytes.
[[nodiscard]] std::unique_ptr<Input> decompressed(std::unique_ptr<Input> input);

// Returns an Output that compresses into `output` and closes it with itself. Equal bytes give equal bytes.
[[nodiscard]] std::unique_ptr<Output> compressed(std::unique_ptr<Output> output, Compression compression);

}  // namespace convert
