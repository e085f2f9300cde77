// SPDX-License-Identifier: MIT
#include "io/sha256.h"

// Uses the functions that OpenSSL replaces by EVP, since EVP loads all of OpenSSL, which takes 2 ms.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <array>
#include <utility>

namespace convert {

struct HashedInput::Digest {
  SHA256_CTX context{};

  Digest() { SHA256_Init(&context); }
  void add(const char* bytes, std::size_t n) { SHA256_Update(&context, bytes, n); }
  [[nodiscard]] std::string hex() {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    SHA256_Final(digest.data(), &context);
    std::string text;
    for (const unsigned char byte : digest) {
      text += "0123456789abcdef"[byte >> 4];
      text += "0123456789abcdef"[byte & 15];
    }
    return text;
  }
};

HashedInput::HashedInput(std::unique_ptr<Input> input)
    : Input(input->name(), input->size()), input_(std::move(input)), digest_(std::make_unique<Digest>()) {}

HashedInput::~HashedInput() = default;

std::size_t HashedInput::fill(char* to, std::size_t n) {
  const std::size_t got = input_->read(to, n);
  digest_->add(to, got);
  return got;
}

std::string HashedInput::hex() { return digest_->hex(); }

std::string sha256_hex(std::string_view bytes) {
  HashedInput::Digest digest;
  digest.add(bytes.data(), bytes.size());
  return digest.hex();
}

}  // namespace convert
