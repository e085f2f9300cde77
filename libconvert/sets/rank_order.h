// SPDX-License-Identifier: MIT
// Reorders ranks that arrive in any order.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "core/diagnostic.h"
#include "core/trace.h"

namespace convert {

// Calls consume(rank, T&&) for rank 0, 1, … as soon as all lower ranks have arrived; buffers early ranks. Sets that
// etkit wrote arrive in order, so nothing is buffered.
template <class T>
class RankOrder {
 public:
  // `file`: name of the file for errors of add().
  explicit RankOrder(std::string file) : file_(std::move(file)) {}

  // Adds a rank; consumes it and the buffered ranks that follow it if all lower ranks have arrived. Throws
  // Error(input) if the rank is repeated.
  template <class Consume>
  void add(Rank rank, T&& value, const Consume& consume) {
    if (rank < next_ || !early_.try_emplace(rank, std::move(value)).second) {
      throw input_error({.file = file_}, "rank " + std::to_string(rank) + " is repeated");
    }
    for (auto at = early_.find(next_); at != early_.end(); at = early_.find(++next_)) {
      consume(at->first, std::move(at->second));
      early_.erase(at);
    }
  }
  // Consumes the ranks that are still buffered because a lower rank is missing. Call it once, at the end.
  template <class Consume>
  void finish(const Consume& consume) {
    for (auto& [rank, value] : early_) consume(rank, std::move(value));
  }

 private:
  std::string file_;
  Rank next_ = 0;
  std::map<Rank, T> early_;
};

}  // namespace convert
