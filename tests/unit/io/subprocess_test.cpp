// SPDX-License-Identifier: MIT
#include "io/subprocess.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/expect_error.h"
#include "common/scratch.h"
#include "unit/io/packed.h"

namespace convert {
namespace {

using namespace std::chrono_literals;
using test::sample;
using test::text_of;
using test::thrown_error;

TEST(Subprocess, InputAndOutput) {
  const std::string bytes = sample(1'000'000);  // more than pipes hold in either direction
  const ChildResult result = run_child({"cat"}, bytes, 20s, 2'000'000);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_FALSE(result.timed_out);
  EXPECT_FALSE(result.too_large);
  EXPECT_EQ(result.out, bytes);
  EXPECT_EQ(result.err, "");
}

TEST(Subprocess, ExitCodeAndErrors) {
  const ChildResult result = run_child({"sh", "-c", "echo out; echo err >&2; exit 3"}, "", 20s, 1000);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(run_child({"sh", "-c", "kill -TERM $$"}, "", 20s, 1000).exit_code, 128 + SIGTERM);
}

TEST(Subprocess, AChildThatDoesNotReadItsInput) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run_child({"true"}, sample(1'000'000), 20s, 1000).exit_code, 0);
  sigset_t pending;
  ::sigpending(&pending);
  EXPECT_EQ(::sigismember(&pending, SIGPIPE), 0);
}

TEST(Subprocess, MissingProgram) {
  const Error error = thrown_error([] { (void)run_child({"no-such-program"}, "", 1s, 1000); });
  EXPECT_EQ(error.kind(), Error::Kind::system);
  EXPECT_EQ(text_of(error), "no-such-program: No such file or directory");
}

TEST(Subprocess, TimeoutKillsTheWholeGroup) {
  for (const std::string script :
       {"echo started; sleep 60; true", "exec sleep 60", "sleep 60 & sleep 60", "exec >&- 2>&-; sleep 60; true"}) {
    const auto begin = std::chrono::steady_clock::now();
    const ChildResult result = run_child({"sh", "-c", script}, "", 300ms, 1000);
    EXPECT_TRUE(result.timed_out) << script;
    EXPECT_EQ(result.exit_code, 128 + SIGKILL);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  }
}

TEST(Subprocess, TooMuchOutput) {
  const ChildResult result = run_child({"sh", "-c", "yes"}, "", 20s, 100'000);
  EXPECT_TRUE(result.too_large);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.out.size(), 100'000U);
  EXPECT_FALSE(run_child({"printf", "12345"}, "", 20s, 5).too_large);
  EXPECT_TRUE(run_child({"printf", "123456"}, "", 20s, 5).too_large);
}

TEST(Subprocess, LooksIntoPath) {
  const test::Scratch scratch;
  scratch.write("no/denied", "");
  std::filesystem::create_symlink("/bin/true", scratch.path("program"));
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", (scratch.path("missing") + ":" + scratch.path("no") + ":" + scratch.path()).c_str(), 1);
  EXPECT_EQ(run_child({"program"}, "", 20s, 1000).exit_code, 0);
  EXPECT_EQ(text_of(thrown_error([] { (void)run_child({"denied"}, "", 20s, 1000); })), "denied: Permission denied");
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(run_child({scratch.path("program")}, "", 20s, 1000).exit_code, 0);
}

TEST(Subprocess, TheChildHasTheSignalsThatWeHave) {
  const auto mask_in = [](const std::string& status, const std::string& key) {
    return std::stoull(status.substr(status.find("\n" + key + ":\t") + key.size() + 3, 16), nullptr, 16);
  };
  const std::string ours = open_input("/proc/self/status")->read_rest();
  const auto before = ::signal(SIGUSR1, SIG_IGN);
  const std::string status = run_child({"cat", "/proc/self/status"}, "", 20s, 10'000).out;
  ::signal(SIGUSR1, before);
  EXPECT_EQ(mask_in(status, "SigBlk"), mask_in(ours, "SigBlk"));
  EXPECT_EQ(mask_in(status, "SigIgn") >> (SIGUSR1 - 1) & 1, 1U);
  EXPECT_EQ(mask_in(status, "SigIgn") >> (SIGPIPE - 1) & 1, 0U);
}

TEST(Subprocess, WithoutStandardStreams) {
  const pid_t us = ::fork();
  if (us == 0) {
    for (int fd = 0; fd < 3; ++fd) ::close(fd);
    const ChildResult result = run_child({"sh", "-c", "cat; echo err >&2"}, "text", 20s, 1000);
    ::_exit(result.out == "text" && result.err == "err\n" ? 0 : 1);
  }
  int status = 0;
  ::waitpid(us, &status, 0);
  EXPECT_EQ(status, 0);
}

class SubprocessAfter : public ::testing::TestWithParam<int> {};

TEST_P(SubprocessAfter, ASignalToUsEndsTheChildToo) {
  const test::Scratch scratch;
  const std::string pid_file = scratch.path("pid");
  const pid_t parent = ::fork();
  if (parent == 0) {
    (void)run_child(
        {"sh", "-c", "echo $$ > " + pid_file + ".new; mv " + pid_file + ".new " + pid_file + "; exec sleep 60"}, "",
        60s, 1000);
    ::_exit(99);
  }
  for (int i = 0; i < 1000 && !std::filesystem::exists(pid_file); ++i) ::usleep(10'000);
  ::kill(parent, GetParam());
  int status = 0;
  ::waitpid(parent, &status, 0);
  EXPECT_EQ(WTERMSIG(status), GetParam());
  const pid_t child = std::atoi(scratch.read("pid").c_str());
  ASSERT_GT(child, 0);
  const auto runs = [&] {  // a zombie not yet collected by init counts as ended
    const std::string stat = std::filesystem::exists("/proc/" + std::to_string(child))
                                 ? open_input("/proc/" + std::to_string(child) + "/stat")->read_rest()
                                 : ") Z";
    return stat.find(") Z") == std::string::npos;
  };
  for (int i = 0; i < 500 && runs(); ++i) ::usleep(10'000);
  EXPECT_FALSE(runs());
}

INSTANTIATE_TEST_SUITE_P(Signals, SubprocessAfter, ::testing::Values(SIGTERM, SIGKILL));

}  // namespace
}  // namespace convert
