// SPDX-License-Identifier: MIT
#include "io/secrets/keyed_sha256.h"

// See sha256.cpp.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/diagnostic.h"
#include "io/input.h"

namespace convert {
namespace {

constexpr std::size_t hmac_block_bytes = 64;
constexpr std::uint8_t inner_pad = 0x36;
constexpr std::uint8_t outer_pad = 0x5c;

int hex_digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

// States of both hashes after the block of the key.
struct KeyedSha256::State {
  SHA256_CTX inner{}, outer{};
};

KeyedSha256::KeyedSha256(std::string_view key) : state_(std::make_unique<State>()) {
  std::array<std::uint8_t, hmac_block_bytes> block{};
  if (key.size() > hmac_block_bytes) {
    SHA256_CTX of_key{};
    SHA256_Init(&of_key);
    SHA256_Update(&of_key, key.data(), key.size());
    SHA256_Final(block.data(), &of_key);
  } else {
    std::ranges::copy(key, block.begin());
  }
  for (const auto& [context, pad] : {std::pair{&state_->inner, inner_pad}, std::pair{&state_->outer, outer_pad}}) {
    std::array<std::uint8_t, hmac_block_bytes> padded = block;
    for (std::uint8_t& byte : padded) byte ^= pad;
    SHA256_Init(context);
    SHA256_Update(context, padded.data(), padded.size());
  }
}

KeyedSha256::~KeyedSha256() = default;

std::array<std::uint8_t, 32> KeyedSha256::operator()(std::string_view bytes) const {
  std::array<std::uint8_t, 32> digest{};
  SHA256_CTX context = state_->inner;
  SHA256_Update(&context, bytes.data(), bytes.size());
  SHA256_Final(digest.data(), &context);
  context = state_->outer;
  SHA256_Update(&context, digest.data(), digest.size());
  SHA256_Final(digest.data(), &context);
  return digest;
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t have = 0; have < count;) {
    const ssize_t got = ::getrandom(bytes.data() + have, count - have, 0);
    if (got < 0 && errno != EINTR) throw system_error("random numbers of the system", errno);
    have += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  }
  return bytes;
}

std::string read_key(const std::string& path) {
  const auto input = open_input(path);
  constexpr std::size_t digits = 2 * secret_key_bytes;
  std::string_view text = input->peek(digits + 3);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  std::string key;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const int high = hex_digit_value(text[i]), low = hex_digit_value(text[i + 1]);
    if (high < 0 || low < 0) break;
    key += static_cast<char>(high * 16 + low);
  }
  if (text.size() != digits || key.size() != secret_key_bytes)
    throw input_error({.file = input->name()},
                      "not a key of 64 hexadecimal digits; --key-out and openssl rand -hex 32 make one", "key");
  if (key.find_first_not_of(key.front()) == std::string::npos)
    throw input_error({.file = input->name()},
                      "the key can be guessed: all its bytes are equal; make one with openssl rand -hex 32", "key");
  return key;
}

void write_secret(const std::string& path, std::string_view bytes) {
  constexpr mode_t owner_only = 0600;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, owner_only);
  if (fd < 0) throw system_error(path, errno);
  int error = 0;
  while (!bytes.empty() && error == 0) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno != EINTR) error = errno;
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(put, 0)));
  }
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error == 0) return;
  ::unlink(path.c_str());
  throw system_error(path, error);
}

std::string hex_digits(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += "0123456789abcdef"[byte >> 4U];
    text += "0123456789abcdef"[byte & 15U];
  }
  return text;
}

}  // namespace convert
