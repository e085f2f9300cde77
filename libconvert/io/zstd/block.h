// SPDX-License-Identifier: MIT
// Compresses and decompresses blocks of known sizes with zstd and a checksum.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace convert {

// Compresses blocks independently; equal blocks give equal compressed bytes.
class ZstdBlocks {
 public:
  // `level` is the level of zstd; 0: its default.
  explicit ZstdBlocks(int level = 0);
  ~ZstdBlocks();
  // Returns the compressed block, which is valid until the next call.
  [[nodiscard]] std::string_view pack(std::string_view block);
  // Returns the block of `size` bytes, valid until the next call; nothing if `packed` is damaged or has another
  // size.
  [[nodiscard]] std::optional<std::string_view> unpack(std::string_view packed, std::size_t size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
