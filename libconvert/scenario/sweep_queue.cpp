// SPDX-License-Identifier: MIT
#include "scenario/sweep_queue.h"

namespace convert {

TableQueue::TableQueue(const SweepPlan& plan, SweepTable& table, bool progress) : plan_(plan), table_(table) {
  const std::size_t status = plan.axes().size();
  for (const std::size_t run : plan.order()) {
    const std::vector<std::string>& cells = table.cells(run);
    if (cells.size() > status && cells[status] == "error") table.drop(run);
    if (table.cells(run).empty()) pending_.push_back(run);
  }
  total_ = pending_.size();
  progress_.emplace("sweep", total_, progress);
}

std::optional<std::size_t> TableQueue::take() {
  const std::lock_guard lock(mutex_);
  if (pending_.empty()) return std::nullopt;
  const std::size_t run = pending_.front();
  pending_.pop_front();
  return run;
}

void TableQueue::put(std::size_t run, const std::vector<std::string>& result) {
  std::vector<std::string> cells;
  for (std::size_t a = 0; a < plan_.axes().size(); ++a) cells.push_back(plan_.value(run, a));
  cells.insert(cells.end(), result.begin(), result.end());
  const std::lock_guard lock(mutex_);
  try {
    table_.put(run, std::move(cells));
  } catch (...) {
    pending_.clear();
    throw;
  }
  progress_->add(1);
}

void TableQueue::close() {
  const std::lock_guard lock(mutex_);
  pending_.clear();
}

}  // namespace convert
