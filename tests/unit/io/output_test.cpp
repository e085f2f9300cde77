// SPDX-License-Identifier: MIT
#include "io/output.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "common/expect_error.h"
#include "common/scratch.h"
#include "unit/io/packed.h"

namespace convert {
namespace {

using test::Names;
using test::sample;
using test::Scratch;
using test::text_of;
using test::thrown_error;
using test::write_file;

// Redirects standard output to another file during its lifetime.
class StdoutAt {
 public:
  explicit StdoutAt(int fd) : saved_(::dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    ::dup2(fd, STDOUT_FILENO);
  }
  ~StdoutAt() {
    ::dup2(saved_, STDOUT_FILENO);
    ::close(saved_);
  }

 private:
  int saved_;
};

unsigned mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST(Stdout, WritesNothingBeforeTheFirstFullBuffer) {
  const Scratch scratch;
  const int fd = ::open(scratch.path("out").c_str(), O_CREAT | O_RDWR, 0600);
  const std::string large = sample(1'000'000);
  {
    const StdoutAt redirected(fd);
    const auto output = open_stdout();
    EXPECT_EQ(output->name(), "<stdout>");
    output->write("hello ");
    EXPECT_EQ(scratch.read("out"), "");
    output->write(large);
    EXPECT_EQ(scratch.read("out"), "hello " + large);
    output->write("end");
    output->close();
  }
  ::close(fd);
  EXPECT_EQ(scratch.read("out"), "hello " + large + "end");
}

TEST(Stdout, FullDeviceIsAnError) {
  const int full = ::open("/dev/full", O_WRONLY);
  for (const Compression compression : {Compression::none, Compression::gzip, Compression::zstd}) {
    const StdoutAt redirected(full);
    const auto output = open_stdout(compression);
    output->write("text");
    const Error error = thrown_error([&] { output->close(); });
    EXPECT_EQ(error.kind(), Error::Kind::system);
    EXPECT_EQ(text_of(error), "<stdout>: No space left on device");
    EXPECT_FALSE(is_broken_pipe(error));
  }
  ::close(full);
}

TEST(Stdout, BrokenPipeIsRecognised) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  {
    const StdoutAt redirected(ends[1]);
    const auto output = open_stdout();
    output->write("text");
    EXPECT_TRUE(is_broken_pipe(thrown_error([&] { output->close(); })));
  }
  ::signal(SIGPIPE, before);
  ::close(ends[1]);
}

TEST(OutputFiles, AppearTogetherAtCommit) {
  const Scratch scratch;
  scratch.write("b", "old");
  OutputFiles files;
  write_file(files, scratch.path("a"), "new a");
  write_file(files, scratch.path("b"), "new b");
  EXPECT_EQ(scratch.names(), Names{"b"});
  EXPECT_EQ(scratch.read("b"), "old");
  files.commit();
  EXPECT_EQ(scratch.names(), (Names{"a", "b"}));
  EXPECT_EQ(scratch.read("a"), "new a");
  EXPECT_EQ(scratch.read("b"), "new b");
}

TEST(OutputFiles, WithoutCommitNothingChanges) {
  const Scratch scratch;
  scratch.write("b", "old");
  {
    OutputFiles files;
    write_file(files, scratch.path("a"), "new a");
    write_file(files, scratch.path("b"), "new b");
    const auto open = files.create(scratch.path("c"));
    open->write("half");
    files.remove_on_commit(scratch.path("b"));
  }
  EXPECT_EQ(scratch.names(), Names{"b"});
  EXPECT_EQ(scratch.read("b"), "old");
}

TEST(OutputFiles, WithoutCloseAFileNeverAppears) {
  const Scratch scratch;
  OutputFiles files;
  write_file(files, scratch.path("a"), "a");
  files.create(scratch.path("b"))->write("half");
  files.commit();
  EXPECT_EQ(scratch.names(), Names{"a"});
  const auto open = files.create(scratch.path("c"));
  EXPECT_THROW(files.commit(), std::logic_error);
}

TEST(OutputFiles, OutputMayOutliveTheGroup) {
  const Scratch scratch;
  std::unique_ptr<Output> output;
  {
    OutputFiles files;
    output = files.create(scratch.path("a"));
  }
  output->write("x");
  EXPECT_THROW(output->close(), std::logic_error);
  output.reset();
  EXPECT_EQ(scratch.names(), Names{});
}

// More files than the limit of unnamed ones: the rest has temporary names.
TEST(OutputFiles, LargeSets) {
  const Scratch scratch;
  const std::size_t count = 300;
  {
    OutputFiles files;
    for (std::size_t i = 0; i < count; ++i) write_file(files, scratch.path("r" + std::to_string(i)), "first");
    EXPECT_LT(scratch.names().size(), count) << "some have no name yet";
    EXPECT_GT(scratch.names().size(), 0U);
    for (const std::string& name : scratch.names()) EXPECT_TRUE(name.starts_with(".r")) << name;
  }
  EXPECT_EQ(scratch.names(), Names{});
  for (const std::string text : {"second", "third"}) {
    OutputFiles files;
    for (std::size_t i = 0; i < count; ++i) write_file(files, scratch.path("r" + std::to_string(i)), text);
    files.commit();
    EXPECT_EQ(scratch.names().size(), count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(scratch.read("r" + std::to_string(i)), text);
  }
}

TEST(OutputFiles, FromSeveralThreads) {
  const Scratch scratch;
  OutputFiles files;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; i < 100; i += 4)
        write_file(files, scratch.path("out/r" + std::to_string(i)), std::to_string(i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  files.commit();
  EXPECT_EQ(scratch.names("out").size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(scratch.read("out/r" + std::to_string(i)), std::to_string(i));
}

TEST(OutputFiles, StaleFilesGoAfterTheRenames) {
  const Scratch scratch;
  scratch.write("ring.7.et", "stale");
  OutputFiles files;
  write_file(files, scratch.path("ring.0.et"), "new");
  files.remove_on_commit(scratch.path("ring.7.et"));
  files.remove_on_commit(scratch.path("ring.8.et"));
  EXPECT_EQ(scratch.names(), Names{"ring.7.et"});
  files.commit();
  EXPECT_EQ(scratch.names(), Names{"ring.0.et"});
}

TEST(OutputFiles, MakesOneDirectory) {
  const Scratch scratch;
  {
    OutputFiles files;
    write_file(files, scratch.path("out/ring.0.et"), "x");
    EXPECT_EQ(scratch.names(), Names{"out"});
  }
  EXPECT_EQ(scratch.names(), Names{}) << "without commit() it goes again";
  OutputFiles files;
  write_file(files, scratch.path("out/ring.0.et"), "x");
  files.commit();
  EXPECT_EQ(scratch.names("out"), Names{"ring.0.et"});
  const Error error = thrown_error([&] { (void)files.create(scratch.path("a/b/c")); });
  EXPECT_EQ(error.kind(), Error::Kind::system);
  EXPECT_EQ(text_of(error), scratch.path("a/b") + ": No such file or directory");
  EXPECT_EQ(text_of(thrown_error([&] { (void)files.create_in_set(scratch.path("a/b/c")); })),
            scratch.path("a/b/c") + ": No such file or directory");
}

TEST(OutputFiles, AFileByItselfMakesNoDirectory) {
  const Scratch scratch;
  OutputFiles files;
  EXPECT_EQ(text_of(thrown_error([&] { (void)files.create(scratch.path("new/x")); })),
            scratch.path("new") + ": No such file or directory");
  EXPECT_EQ(scratch.names(), Names{});
}

TEST(OutputFiles, Modes) {
  const Scratch scratch;
  ::chmod(scratch.write("private", "old").c_str(), 0640);
  const mode_t mask = ::umask(022);
  OutputFiles files;
  write_file(files, scratch.path("private"), "new");
  for (int i = 0; i < 70; ++i) write_file(files, scratch.path("r" + std::to_string(i)), "x");
  files.commit();
  ::umask(mask);
  EXPECT_EQ(mode_of(scratch.path("private")), 0640U);
  EXPECT_EQ(mode_of(scratch.path("r0")), 0644U);
  EXPECT_EQ(mode_of(scratch.path("r69")), 0644U);
}

TEST(OutputFiles, FollowsASymbolicLink) {
  const Scratch scratch;
  scratch.write("real/data", "old");
  std::filesystem::create_symlink("real/data", scratch.path("link"));
  OutputFiles files;
  write_file(files, scratch.path("link"), "new");
  files.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(scratch.path("link")));
  EXPECT_EQ(scratch.read("real/data"), "new");
}

TEST(OutputFiles, CompressesBySuffix) {
  const Scratch scratch;
  OutputFiles files;
  for (const std::string name : {"a.et", "a.et.gz", "a.et.zst"})
    write_file(files, scratch.path(name), sample(5000));
  files.commit();
  EXPECT_EQ(scratch.read("a.et"), sample(5000));
  EXPECT_EQ(scratch.read("a.et.gz"), test::packed(sample(5000), Compression::gzip));
  EXPECT_EQ(scratch.read("a.et.zst"), test::packed(sample(5000), Compression::zstd));
}

TEST(OutputFiles, DevicesAreWrittenDirectly) {
  OutputFiles files;
  const auto full = files.create("/dev/full");
  full->write("x");
  const Error error = thrown_error([&] { full->close(); });
  EXPECT_EQ(error.kind(), Error::Kind::system);
  EXPECT_EQ(text_of(error), "/dev/full: No space left on device");
  write_file(files, "/dev/null", "x");
  files.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(OutputFiles, DevStdoutKeepsThePosition) {
  const Scratch scratch;
  const int fd = ::open(scratch.write("log", "before ").c_str(), O_WRONLY | O_APPEND);
  {
    const StdoutAt redirected(fd);
    OutputFiles files;
    write_file(files, "/dev/stdout", "after");
    files.commit();
  }
  ::close(fd);
  EXPECT_EQ(scratch.read("log"), "before after");
}

TEST(OutputFiles, Fifo) {
  const Scratch scratch;
  const std::string path = scratch.path("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string seen;
  std::thread reader([&] { seen = open_input(path)->read_rest(); });
  OutputFiles files;
  write_file(files, path, "through");
  reader.join();
  EXPECT_EQ(seen, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST(OutputFiles, ADescriptorOfAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  OutputFiles files;
  const std::string path = "/dev/fd/" + std::to_string(ends[1]);
  write_file(files, path, "through");
  ::close(ends[1]);
  char text[8] = {};
  EXPECT_EQ(::read(ends[0], text, 7), 7);
  EXPECT_STREQ(text, "through");
  EXPECT_EQ(::read(ends[0], text, 7), 0) << "nothing keeps the pipe open";
  ::close(ends[0]);
  EXPECT_EQ(text_of(thrown_error([&] { (void)files.create(path); })), path + ": Bad file descriptor");
}

TEST(OutputFiles, StreamPaths) {
  const Scratch scratch;
  scratch.write("file", "x");
  ASSERT_EQ(::mkfifo(scratch.path("fifo").c_str(), 0600), 0);
  std::filesystem::create_symlink("fifo", scratch.path("to_fifo"));
  std::filesystem::create_symlink("file", scratch.path("to_file"));
  std::filesystem::create_symlink("nowhere", scratch.path("to_nowhere"));
  for (const std::string name : {"fifo", "to_fifo"}) EXPECT_TRUE(is_stream_path(scratch.path(name))) << name;
  for (const std::string name : {"", "file", "to_file", "to_nowhere", "missing", "file/below"}) {
    EXPECT_FALSE(is_stream_path(scratch.path(name))) << name;
  }
  EXPECT_FALSE(is_stream_path(""));
  EXPECT_TRUE(is_stream_path("/dev/null"));
  EXPECT_TRUE(is_stream_path("/dev/full"));
  const int fd = ::open(scratch.path("file").c_str(), O_WRONLY);
  const std::string path = "/dev/fd/" + std::to_string(fd);
  {
    const StdoutAt redirected(fd);
    EXPECT_TRUE(is_stream_path("/dev/stdout"));
  }
  EXPECT_TRUE(is_stream_path(path));
  ::close(fd);
  EXPECT_FALSE(is_stream_path(path));
}

TEST(OutputFiles, Refusals) {
  const Scratch scratch;
  OutputFiles files;
  EXPECT_EQ(text_of(thrown_error([&] { (void)files.create(scratch.path()); })),
            scratch.path() + ": Is a directory");
  EXPECT_EQ(thrown_error([&] { (void)files.create(""); }).kind(), Error::Kind::system);
  const auto first = files.create(scratch.path("a"));
  EXPECT_EQ(thrown_error([&] { (void)files.create(scratch.path("a")); }).kind(), Error::Kind::usage);
}

}  // namespace
}  // namespace convert
