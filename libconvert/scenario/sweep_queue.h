// SPDX-License-Identifier: MIT
// Hands out the runs that a table lacks; each result goes to the table at once.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "scenario/sweep_run.h"
#include "scenario/sweep_table.h"
#include "util/progress.h"

namespace convert {

class TableQueue : public RunQueue {
 public:
  // Runs that failed before are executed again, because the cause may have been fixed.
  TableQueue(const SweepPlan& plan, SweepTable& table, bool progress);

  [[nodiscard]] std::size_t total() const { return total_; }
  [[nodiscard]] std::optional<std::size_t> take() override;
  // Puts a result into the table; hands out no more runs if the table cannot be written.
  void put(std::size_t run, const std::vector<std::string>& result) override;
  // Stops handing out runs.
  void close();

 private:
  const SweepPlan& plan_;
  SweepTable& table_;
  std::mutex mutex_;
  std::deque<std::size_t> pending_;
  std::size_t total_ = 0;
  std::optional<Progress> progress_;
};

}  // namespace convert
