// SPDX-License-Identifier: MIT
// Reads the tensors in a text of values, as listed in PyTorch's host traces: [tensor id, storage id, offset,
// elements, bytes per element, 'device'].
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace convert {

struct TensorText {
  std::int64_t storage = 0;
  std::int64_t elements = 0;
  std::int64_t element_bytes = 0;
};

// Calls fn(TensorText) for each tensor, at any depth of lists.
template <class Fn>
void for_each_tensor(std::string_view values, const Fn& fn) {
  const char* const end = values.data() + values.size();
  for (std::size_t i = values.find('['); i != std::string_view::npos; i = values.find('[', i + 1)) {
    const char* p = values.data() + i + 1;
    std::array<std::int64_t, 5> numbers{};
    std::size_t n = 0;
    for (; n < numbers.size(); ++n) {
      const auto [after, error] = std::from_chars(p, end, numbers[n]);
      if (error != std::errc() || end - after < 3 || after[0] != ',') break;
      p = after + 2;
    }
    if (n == numbers.size() && *p == '\'') fn(TensorText{numbers[1], numbers[3], numbers[4]});
  }
}

}  // namespace convert
