// SPDX-License-Identifier: MIT
// Puts ranks that come in any order into ascending order.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "core/diagnostic.h"
#include "core/trace.h"

namespace convert {

// Calls consume(rank, T&&) for rank 0, 1, … as soon as each has come; keeps ranks that come early. Sets that etkit
// wrote come in order, so nothing waits there.
template <class T>
class RankOrder {
 public:
  // Takes the name of the file for add()'s error.
  explicit RankOrder(std::string file) : file_(std::move(file)) {}

  // Adds a rank; consumes it, and those that waited for it, if all before it have come. Throws Error(input) if the
  // rank comes twice.
  template <class Consume>
  void add(Rank rank, T&& value, const Consume& consume) {
    if (rank < next_ || !early_.try_emplace(rank, std::move(value)).second) {
      throw input_error({.file = file_}, "rank " + std::to_string(rank) + " stands twice");
    }
    for (auto at = early_.find(next_); at != early_.end(); at = early_.find(++next_)) {
      consume(at->first, std::move(at->second));
      early_.erase(at);
    }
  }
  // Consumes the ranks that still wait because one before them has not come. Call it once, at the end.
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
