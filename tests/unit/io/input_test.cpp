// SPDX-License-Identifier: MIT
#include "io/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "common/expect_error.h"
#include "common/scratch.h"
#include "unit/io/packed.h"

namespace convert {
namespace {

using test::sample;
using test::Scratch;
using test::text_of;
using test::thrown_error;

// Returns at most `step` bytes at a time, as pipes do.
class Trickle final : public Input {
 public:
  Trickle(std::string_view bytes, std::size_t step) : Input("trickle", std::nullopt), rest_(bytes), step_(step) {}
  std::size_t largest = 0;
  std::size_t calls = 0;

 protected:
  std::size_t fill(char* to, std::size_t n) override {
    ++calls;
    largest = std::max(largest, n);
    n = std::min({n, step_, rest_.size()});
    rest_.copy(to, n);
    rest_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view rest_;
  std::size_t step_;
};

TEST(Input, PeekSkipReadCountTheOffset) {
  const auto input = memory_input("m", "hello, world");
  EXPECT_EQ(input->name(), "m");
  EXPECT_EQ(input->size(), 12U);
  EXPECT_TRUE(input->peek(5).starts_with("hello"));
  EXPECT_EQ(input->offset(), 0U);
  input->skip(7);
  EXPECT_EQ(input->offset(), 7U);
  char bytes[8] = {};
  EXPECT_EQ(input->read(bytes, 2), 2U);
  EXPECT_EQ(std::string_view(bytes, 2), "wo");
  EXPECT_FALSE(input->at_end());
  EXPECT_EQ(input->read(bytes, 8), 3U);
  EXPECT_EQ(input->offset(), 12U);
  EXPECT_TRUE(input->at_end());
  EXPECT_EQ(input->read(bytes, 8), 0U);
  EXPECT_EQ(input->peek(100), "");
}

TEST(Input, PeekBeyondTheBufferKeepsWhatIsThere) {
  const std::string bytes = sample(500'000);
  for (const std::size_t step : {std::size_t{1000}, std::size_t{70'000}, bytes.size()}) {
    Trickle input(bytes, step);
    std::size_t at = 0;
    for (const std::size_t n : {10UL, 5'000UL, 20'000UL, 150'000UL, 3UL, 200'000UL}) {
      const std::string_view seen = input.peek(n);
      ASSERT_GE(seen.size(), n);
      ASSERT_EQ(seen, std::string_view(bytes).substr(at, seen.size()));
      input.skip(n);
      at += n;
      ASSERT_EQ(input.offset(), at);
    }
    EXPECT_EQ(input.read_rest(), bytes.substr(at));
    EXPECT_EQ(input.offset(), bytes.size());
  }
}

TEST(Input, AWishForMoreThanThereIsAllocatesNothingBig) {
  Trickle input("short", 3);
  EXPECT_EQ(input.peek(std::size_t{1} << 60), "short");
  EXPECT_LE(input.largest, 128U * 1024U);
}

TEST(Input, LargeReadsBypassTheBuffer) {
  const std::string bytes = sample(3'000'000);
  Trickle input(bytes, bytes.size());
  std::string to(bytes.size(), '\0');
  ASSERT_EQ(input.peek(1).size(), 16U * 1024U);
  EXPECT_EQ(input.read(to.data(), to.size()), bytes.size());
  EXPECT_EQ(to, bytes);
  EXPECT_EQ(input.calls, 2U);
}

TEST(Input, ReadRestReservesPadding) {
  for (const std::size_t size : {0UL, 10UL, 16'384UL, 1'048'576UL, 3'333'333UL}) {
    const std::string bytes = sample(size);
    EXPECT_GE(memory_input("m", bytes)->read_rest(64).capacity(), size + 64);
    EXPECT_EQ(memory_input("m", bytes)->read_rest(64), bytes);
    Trickle input(bytes, 777);
    const std::string rest = input.read_rest(64);
    EXPECT_EQ(rest, bytes);
    EXPECT_GE(rest.capacity(), size + 64);
  }
}

TEST(Input, ReadsFiles) {
  const Scratch scratch;
  const std::string bytes = sample(1'000'000);
  const auto input = open_input(scratch.write("a.et", bytes));
  EXPECT_EQ(input->name(), scratch.path("a.et"));
  EXPECT_EQ(input->size(), bytes.size());
  EXPECT_EQ(input->peek(3).substr(0, 3), bytes.substr(0, 3));
  const std::string rest = input->read_rest(32);
  EXPECT_EQ(rest, bytes);
  EXPECT_LT(rest.capacity(), bytes.size() + 100'000);
}

TEST(Input, FilesWhoseSizeLies) {
  EXPECT_EQ(open_input("/proc/self/stat")->size(), std::nullopt);
  EXPECT_TRUE(open_input("/proc/self/stat")->read_rest().starts_with(std::to_string(::getpid()) + " "));
  const Scratch scratch;
  const auto grown = open_input(scratch.write("growing", sample(300'000)));
  scratch.write("growing", sample(400'000));
  EXPECT_EQ(grown->read_rest(), sample(400'000));
  const auto shrunk = open_input(scratch.write("shrinking", sample(400'000)));
  scratch.write("shrinking", sample(300'000));
  EXPECT_EQ(shrunk->read_rest(), sample(300'000));
}

TEST(Input, Failures) {
  const Scratch scratch;
  const Error directory = thrown_error([&] { (void)open_input(scratch.path()); });
  EXPECT_EQ(directory.kind(), Error::Kind::input);
  EXPECT_EQ(text_of(directory), scratch.path() + ": is a directory");
  const Error missing = thrown_error([&] { (void)open_input(scratch.path("none")); });
  EXPECT_EQ(missing.kind(), Error::Kind::system);
  EXPECT_EQ(text_of(missing), scratch.path("none") + ": No such file or directory");
}

TEST(Input, Fifo) {
  const Scratch scratch;
  const std::string path = scratch.path("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string bytes = sample(300'000);
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << test::packed(bytes, Compression::gzip); });
  const auto input = open_input(path);
  EXPECT_EQ(input->size(), std::nullopt);
  EXPECT_EQ(input->read_rest(), bytes);
  writer.join();
}

TEST(Input, StandardInputCountsFromItsPosition) {
  const Scratch scratch;
  const int fd = ::open(scratch.write("in", "0123456789").c_str(), O_RDONLY);
  const int saved = ::dup(STDIN_FILENO);
  ::dup2(fd, STDIN_FILENO);
  ::lseek(STDIN_FILENO, 4, SEEK_SET);
  {
    const auto input = open_input("-");
    EXPECT_EQ(input->name(), "<stdin>");
    EXPECT_EQ(input->size(), 6U);
    EXPECT_EQ(input->read_rest(), "456789");
  }
  EXPECT_EQ(::fcntl(STDIN_FILENO, F_GETFD), 0) << "standard input stays open";
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(fd);
}

}  // namespace
}  // namespace convert
