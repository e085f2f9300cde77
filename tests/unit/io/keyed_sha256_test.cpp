// SPDX-License-Identifier: MIT
#include "io/secrets/keyed_sha256.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/expect_error.h"
#include "common/scratch.h"

namespace convert {
namespace {

std::string digits_of(std::string_view key, std::string_view text) {
  const auto digest = KeyedSha256(key)(text);
  return hex_digits({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

// RFC 4231, test cases 1, 2 and 6.
TEST(KeyedSha256, KnownDigests) {
  EXPECT_EQ(digits_of(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(digits_of("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(digits_of(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(KeyedSha256, OneObjectForManyTexts) {
  const KeyedSha256 hash("key");
  const auto first = hash("a");
  EXPECT_NE(first, hash("b"));
  EXPECT_EQ(first, hash("a"));
}

TEST(SecretKey, ReadsWhatItWrites) {
  const test::Scratch scratch;
  const std::string key = random_bytes(secret_key_bytes);
  EXPECT_EQ(key.size(), secret_key_bytes);
  EXPECT_NE(key, random_bytes(secret_key_bytes));
  const std::string path = scratch.path("key");
  write_secret(path, hex_digits(key) + "\n");
  EXPECT_EQ(read_key(path), key);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_THROW(write_secret(path, "again"), Error);
  EXPECT_EQ(read_key(path), key);
}

TEST(SecretKey, RefusesWhatIsNoKey) {
  const test::Scratch scratch;
  const std::string good(64, 'a');
  int i = 0;
  for (const std::string& text :
       {std::string(), std::string("abc"), good.substr(1), good + "0", "g" + good.substr(1)}) {
    const std::string path = scratch.path("key" + std::to_string(i++));
    write_secret(path, text);
    EXPECT_THROW((void)read_key(path), Error) << text;
  }
}

}  // namespace
}  // namespace convert
