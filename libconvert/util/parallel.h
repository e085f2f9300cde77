// SPDX-License-Identifier: MIT
// Processes many items on several threads and consumes the results in order.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace convert {

// Returns the number of hardware threads that this process may use, at least 1.
[[nodiscard]] unsigned default_jobs();

// Implements for_each_ordered(): `work` fills and `consume` empties slot i % window for item i.
void run_ordered(unsigned jobs, std::size_t n, std::size_t window,
                 const std::function<void(std::size_t slot, std::size_t i)>& work,
                 const std::function<void(std::size_t slot, std::size_t i)>& consume);

// Calls work(i) for i in 0…n-1 on `jobs` threads (0: default_jobs()), and consume(i, result) on the calling thread
// in the order of i, for any `jobs`. At most 2 × jobs results wait. An exception of work(i) is thrown when item i
// would be consumed; then no further work begins, and all threads have ended before the throw. With one job,
// everything runs on the calling thread.
template <class Work, class Consume>
void for_each_ordered(unsigned jobs, std::size_t n, const Work& work, const Consume& consume) {
  using Result = std::invoke_result_t<const Work&, std::size_t>;
  if (jobs == 0) jobs = default_jobs();
  const std::size_t window = jobs == 1 ? 1 : 2 * std::size_t{jobs};
  std::vector<std::optional<Result>> results(window < n ? window : n);
  run_ordered(
      jobs, n, window, [&](std::size_t slot, std::size_t i) { results[slot].emplace(work(i)); },
      [&](std::size_t slot, std::size_t i) {
        consume(i, std::move(*results[slot]));
        results[slot].reset();
      });
}

}  // namespace convert
