// SPDX-License-Identifier: MIT
#include "io/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace convert {

struct HashedInput::Digest {
  struct Free {
    void operator()(EVP_MD_CTX* c) const { EVP_MD_CTX_free(c); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};

  Digest() {
    if (context == nullptr || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) fail();
  }
  void add(const char* bytes, std::size_t n) const {
    if (EVP_DigestUpdate(context.get(), bytes, n) != 1) fail();
  }
  [[nodiscard]] std::string hex() const {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_DigestFinal_ex(context.get(), digest.data(), &size) != 1) fail();
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
      text += "0123456789abcdef"[digest[i] >> 4];
      text += "0123456789abcdef"[digest[i] & 15];
    }
    return text;
  }
  [[noreturn]] static void fail() { throw std::runtime_error("SHA-256 is not available in OpenSSL"); }
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
  const HashedInput::Digest digest;
  digest.add(bytes.data(), bytes.size());
  return digest.hex();
}

}  // namespace convert
