// SPDX-License-Identifier: MIT
// SHA-256 as lower-case hexadecimal digits.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace convert {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(std::string_view bytes);
  // Of all bytes so far; more may follow.
  [[nodiscard]] std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace convert
