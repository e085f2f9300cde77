// SPDX-License-Identifier: MIT
// Sizes of an operator's inputs, from the args "Input Dims" and "Input type".
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace convert {

// Appends the bytes of each input: of `dims` [[8, 4], []] and `types` ["float", "Scalar"], both as JSON, 128 and
// -1. -1 stands for inputs other than tensors, and for tensors of unknown type or more than 2^63 - 1 bytes. Appends
// nothing if the two lists do not belong together.
void append_input_bytes(std::string_view dims, std::string_view types, std::vector<std::int64_t>& to);

}  // namespace convert
