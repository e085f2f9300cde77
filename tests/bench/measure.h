// SPDX-License-Identifier: MIT
// CPU time and memory of a piece of work, as all benchmarks take them.
#pragma once

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace bench {

constexpr int rounds = 5;  // the best of them counts: what else runs on the machine only adds

inline double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Work and its floor in turns, so that the machine's mood hits both.
struct Best {
  double floor = std::numeric_limits<double>::infinity();
  double work = std::numeric_limits<double>::infinity();
};

template <typename Work>
void take_best(double& best, const Work& work) {
  const double begin = cpu_seconds();
  work();
  best = std::min(best, cpu_seconds() - begin);
}

template <typename Floor, typename Work>
Best best_of_both(const Floor& floor, const Work& work) {
  Best best;
  for (int i = 0; i < rounds; ++i) {
    take_best(best.floor, floor);
    take_best(best.work, work);
  }
  return best;
}

template <typename Work>
double best_seconds(const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < rounds; ++i) take_best(best, work);
  return best;
}

// Peak memory in MiB of a process of its own: after prepare(), and after work(what prepare() gave).
struct Memory {
  double before = 0;
  double peak = 0;
};

template <typename Prepare, typename Work>
Memory memory_of(const Prepare& prepare, const Work& work) {
  const auto peak_mib = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
  };
  std::array<int, 2> ends{};
  Memory memory;
  if (pipe(ends.data()) != 0) return memory;
  malloc_trim(0);  // else the child would find freed memory to use
  if (fork() == 0) {
    auto input = prepare();
    memory.before = peak_mib();
    work(input);
    memory.peak = peak_mib();
    _exit(write(ends[1], &memory, sizeof memory) == sizeof memory ? 0 : 1);
  }
  if (read(ends[0], &memory, sizeof memory) != sizeof memory) memory = {};
  close(ends[0]);
  close(ends[1]);
  wait(nullptr);
  return memory;
}

}  // namespace bench
