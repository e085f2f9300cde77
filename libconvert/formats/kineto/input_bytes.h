// SPDX-License-Identifier: MIT
// Sizes and texts of an operator's inputs, from the args "Input Dims", "Input type" and "Concrete Inputs".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

// Appends the size of each input in bytes. For `dims` [[8, 4], []] and `types` ["float", "Scalar"], both as JSON:
// 128 and -1. Appends -1 for inputs that are not tensors, and for tensors of unknown type or more than 2^63 - 1
// bytes. Appends nothing if the two lists do not match.
void append_input_bytes(std::string_view dims, std::string_view types, std::vector<std::int64_t>& to);

// Returns the text inputs, one per line. For `values` ["", "sum", "1"] and `types` ["float", "", ""], both as JSON:
// "sum" and "1". Numbers have the type "Scalar". Returns an empty string if the two lists do not match.
[[nodiscard]] std::string text_inputs(std::string_view values, std::string_view types);

}  // namespace convert
