// SPDX-License-Identifier: MIT
// Compresses and decompresses blocks of bytes whose sizes are known, with zstd and a checksum.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace convert {

// Compresses one block after the other; equal blocks give equal bytes.
class ZstdBlocks {
 public:
  // The level is zstd's; 0: its default.
  explicit ZstdBlocks(int level = 0);
  ~ZstdBlocks();
  // Returns the compressed block, which is valid until the next call.
  [[nodiscard]] std::string_view pack(std::string_view block);
  // Returns the block of `size` bytes, valid until the next call; nothing if `packed` is damaged or another size.
  [[nodiscard]] std::optional<std::string_view> unpack(std::string_view packed, std::size_t size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
