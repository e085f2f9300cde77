// SPDX-License-Identifier: MIT
// HMAC-SHA-256: hashes that only the owner of the key can make or check.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace convert {

class KeyedSha256 {
 public:
  explicit KeyedSha256(std::string_view key);
  ~KeyedSha256();
  KeyedSha256(const KeyedSha256&) = delete;
  KeyedSha256& operator=(const KeyedSha256&) = delete;

  // Returns the hash of the bytes. Thread-safe.
  [[nodiscard]] std::array<std::uint8_t, 32> operator()(std::string_view bytes) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

inline constexpr std::size_t secret_key_bytes = 32;
// Returns `count` random bytes from the system. Throws Error(system).
[[nodiscard]] std::string random_bytes(std::size_t count);
// Reads a key: a file with 64 hexadecimal digits. Throws Error(system) if it cannot be read, Error(input) for any
// other contents and for a key of equal bytes.
[[nodiscard]] std::string read_key(const std::string& path);
// Writes a new file that only its owner may read. Throws Error(system), also if the file exists, which may be a key
// in use.
void write_secret(const std::string& path, std::string_view bytes);
// Returns two hexadecimal digits for each byte.
[[nodiscard]] std::string hex_digits(std::string_view bytes);

}  // namespace convert
