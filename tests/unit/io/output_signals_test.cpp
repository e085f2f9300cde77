// SPDX-License-Identifier: MIT
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <exception>
#include <iterator>
#include <thread>

#include "common/expect_error.h"
#include "common/scratch.h"
#include "io/output.h"
#include "io/replace/cleanup.h"
#include "unit/io/packed.h"

namespace convert {
namespace {

using test::Names;
using test::sample;
using test::Scratch;
using test::text_of;
using test::write_file;

// Runs `body` in this child process, which ends here in any case: objects shared with the parent belong to the
// parent.
template <class Body>
[[noreturn]] void run_in_this_child(const Body& body) {
  try {
    body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "child: %s\n", error.what());
    ::_exit(97);
  }
  ::_exit(99);
}

// Runs `body` in a child process and returns its wait status.
template <class Body>
int in_child(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) run_in_this_child(body);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(OutputFiles, AFailedWriteLeavesNothing) {
  const Scratch scratch;
  scratch.write("a", "old");
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      OutputFiles files;
      for (int i = 0; i < 80; ++i) write_file(files, scratch.path("r" + std::to_string(i)), "x");
      write_file(files, scratch.path("a"), sample(1'000'000));
      files.commit();
    } catch (const Error& error) {
      ::_exit(text_of(error) == scratch.path("a") + ": File too large" ? 2 : 3);
    }
  });
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(scratch.names(), Names{"a"});
  EXPECT_EQ(scratch.read("a"), "old");
}

TEST(OutputFiles, ASignalLeavesNothing) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    const Scratch scratch;
    scratch.write("r0", "old");
    const int status = in_child([&] {
      OutputFiles files;
      for (int i = 0; i < 80; ++i) write_file(files, scratch.path("r" + std::to_string(i)), "x");
      write_file(files, scratch.path("out/ring.0.et"), "x");
      if (scratch.names().size() < 10) ::_exit(98);
      ::raise(number);
    });
    EXPECT_TRUE(WIFSIGNALED(status)) << number;
    EXPECT_EQ(WTERMSIG(status), number);
    EXPECT_EQ(scratch.names(), Names{"r0"});
    EXPECT_EQ(scratch.read("r0"), "old");
  }
}

constexpr int set_size = 300;

void write_set(OutputFiles& files, const Scratch& scratch, const std::string& text) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; i < set_size; i += 4) write_file(files, scratch.path("r" + std::to_string(i)), text);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Runs `body(ready)` in a child process, waits until it calls ready() and for up to 2^bits µs more, different in
// each run, and ends the child by a signal.
template <class Body>
void signal_child(unsigned run, int bits, const Body& body) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    run_in_this_child([&] {
      body([&] {
        if (::write(ends[1], "x", 1) != 1) ::_exit(98);
      });
    });
  }
  ::close(ends[1]);
  char ready = 0;
  EXPECT_EQ(::read(ends[0], &ready, 1), 1);
  ::close(ends[0]);
  ::usleep((run * 2654435769U) >> (32 - bits));
#ifdef __SANITIZE_THREAD__  // reports SIGPIPE as a fault of the thread, and runs the handler within its own locks
  const int number = std::array{SIGINT, SIGTERM, SIGHUP}[run % 3];
#else
  const int number = std::array{SIGINT, SIGTERM, SIGHUP, SIGPIPE}[run % 4];
#endif
  ::kill(child, number);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number) << status;
}

TEST(OutputFiles, ASignalWhileThreadsCreateFilesLeavesNothing) {
  const Scratch scratch;
  scratch.write("r0", "old");
  for (unsigned run = 0; run < 60; ++run) {
    signal_child(run, 15, [&](const auto& ready) {
      OutputFiles files;  // 64 files need no name
      for (int i = 0; i < 64; ++i) write_file(files, scratch.path("first" + std::to_string(i)), "new");
      ready();
      write_set(files, scratch, "new");
      ::pause();
    });
    ASSERT_EQ(scratch.names(), Names{"r0"}) << "run " << run;
    ASSERT_EQ(scratch.read("r0"), "old");
  }
}

TEST(OutputFiles, ASignalDuringCommitLeavesOneWholeSet) {
  const Scratch scratch;
  Names names;
  for (int i = 0; i < set_size; ++i) scratch.write(names.emplace_back("r" + std::to_string(i)), "old");
  std::sort(names.begin(), names.end());
  for (unsigned run = 0; run < 8; ++run) {
    signal_child(run, 14, [&](const auto& ready) {
      std::thread([] { ::pause(); }).detach();  // receives the signal while this thread blocks it
      OutputFiles files;
      write_set(files, scratch, std::to_string(run));
      ready();
      files.commit();
      ::pause();
    });
    Names others;
    std::ranges::set_symmetric_difference(scratch.names(), names, std::back_inserter(others));
    ASSERT_EQ(others, Names()) << "missing or left over, run " << run;
    const std::string text = scratch.read("r0");
    for (const std::string& name : names) ASSERT_EQ(scratch.read(name), text) << name << ", run " << run;
  }
}

TEST(OutputFiles, WhatFailsBehindASignalIsNoError) {
  const Scratch scratch;
  const int status = in_child([&] {
    std::thread([] { ::pause(); }).detach();  // receives the signal during the step
    OutputFiles files;
    for (int i = 0; i < 80; ++i) write_file(files, scratch.path("r" + std::to_string(i)), "x");
    {
      const UnbrokenStep step;
      ::kill(::getpid(), SIGTERM);
      ::usleep(20'000);
    }
    throw input_error({.file = "r79"}, "its temporary is gone");
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_EQ(scratch.names(), Names());
}

TEST(OutputFiles, AnIgnoredSignalStaysIgnored) {
  const Scratch scratch;
  const int status = in_child([&] {
    ::signal(SIGHUP, SIG_IGN);
    OutputFiles files;
    for (int i = 0; i < 80; ++i) write_file(files, scratch.path("r" + std::to_string(i)), "x");
    ::raise(SIGHUP);
    files.commit();
    ::_exit(0);
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(scratch.names().size(), 80U);
}

}  // namespace
}  // namespace convert
