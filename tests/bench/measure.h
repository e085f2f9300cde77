// SPDX-License-Identifier: MIT
// CPU time and memory of a function, as measured by all benchmarks.
#pragma once

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace bench {

inline int rounds = 5;  // the best round counts: other load on the machine only adds time

inline double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Seconds of the best round.
struct Best {
  double floor = 0;
  double work = 0;
  double spread = 0;  // of the work: relative slowdown of the median round
};

// Runs the work and its floor alternately, so that the state of the machine affects both; the work first.
template <typename Floor, typename Work>
Best best_of_both(const Floor& floor, const Work& work) {
  const auto seconds = [](const auto& what) {
    const double begin = cpu_seconds();
    what();
    return std::max(cpu_seconds() - begin, 1e-6);  // the resolution of the clock
  };
  std::vector<double> of_floor;
  std::vector<double> of_work;
  for (int i = 0; i < rounds; ++i) {
    of_work.push_back(seconds(work));
    of_floor.push_back(seconds(floor));
  }
  std::sort(of_work.begin(), of_work.end());
  const double best = of_work.front();
  return {.floor = *std::min_element(of_floor.begin(), of_floor.end()),
          .work = best,
          .spread = of_work[of_work.size() / 2] / best - 1};
}

// Peak memory in MiB of a child process: after prepare(), and after work() with the result of prepare().
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
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  malloc_trim(0);  // otherwise the child would reuse freed memory
  const pid_t child = fork();
  if (child == 0) {
    try {
      auto input = prepare();
      memory.before = peak_mib();
      work(input);
      memory.peak = peak_mib();
    } catch (...) {
      _exit(1);
    }
    _exit(write(ends[1], &memory, sizeof memory) == sizeof memory ? 0 : 1);
  }
  close(ends[1]);
  const bool done = child > 0 && read(ends[0], &memory, sizeof memory) == sizeof memory;
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  if (!done) throw std::runtime_error("the process whose memory is measured has failed");
  return memory;
}

// Returns the same for work without a floor.
template <typename Work>
double peak_of(const Work& work) {
  return memory_of([] { return 0; }, [&](int) { work(); }).peak;
}

}  // namespace bench
