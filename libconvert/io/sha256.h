// SPDX-License-Identifier: MIT
// SHA-256 as lower-case hexadecimal digits: of bytes in memory, or of a stream while it is read.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/input.h"

namespace convert {

// Returns the hash of the bytes, 64 digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

// Input that passes another input through and hashes its bytes.
class HashedInput final : public Input {
 public:
  explicit HashedInput(std::unique_ptr<Input> input);
  ~HashedInput() override;
  HashedInput(const HashedInput&) = delete;
  HashedInput& operator=(const HashedInput&) = delete;
  // Returns the hash of all bytes that were read. Call it once, at the end.
  [[nodiscard]] std::string hex();
  [[nodiscard]] std::optional<std::uint64_t> compressed_bytes() const override {
    return input_->compressed_bytes();
  }

 protected:
  std::size_t fill(char* to, std::size_t n) override;

 private:
  friend std::string sha256_hex(std::string_view bytes);
  struct Digest;
  std::unique_ptr<Input> input_;
  std::unique_ptr<Digest> digest_;
};

}  // namespace convert
