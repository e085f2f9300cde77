// SPDX-License-Identifier: MIT
#include "formats/param/waits.h"

#include <deque>
#include <string_view>
#include <unordered_map>

namespace convert {
namespace {

class ParamWaitFinder {
 public:
  explicit ParamWaitFinder(const ParamFile& file) : file_(file) {
    out_.of_wait.assign(file.entries.size(), no_index);
    out_.of_batch.assign(file.entries.size(), no_index);
    out_.wait_of.assign(file.entries.size(), no_index);
  }

  ParamWaits find() {
    for (std::uint32_t i = 0; i < file_.entries.size(); ++i) {
      const ParamEntry& e = file_.entries[i];
      if (e.kind != ParamEntry::Kind::communication || e.operation->kind == ParamOperation::Kind::init) continue;
      if (e.operation->kind == ParamOperation::Kind::wait) {
        wait(i);
      } else {
        post(i);
      }
    }
    return std::move(out_);
  }

 private:
  void post(std::uint32_t i) {
    const ParamEntry& e = file_.entries[i];
    if (e.operation->kind == ParamOperation::Kind::batch) {
      for (const std::uint32_t message : batch_) out_.of_batch[message] = i;
      batch_.clear();
    } else if (e.batched) {
      batch_.push_back(i);
    }
    if (!e.has_request) {
      const bool ended = e.operation->kind == ParamOperation::Kind::message && !e.operation->posted;
      if (!ended) without_request_.push_back(i);
      return;
    }
    last_ = file_.view(e.request);
    running_[last_] = i;
  }

  // Returns the operation that the wait refers to and marks it as ended; no_index if it is not running.
  std::uint32_t take(const ParamEntry& wait) {
    if (!wait.has_request && last_.data() == nullptr) {
      if (without_request_.empty()) return no_index;
      const std::uint32_t first = without_request_.front();
      without_request_.pop_front();
      return first;
    }
    const auto at = running_.find(wait.has_request ? file_.view(wait.request) : last_);
    if (at == running_.end()) return no_index;
    const std::uint32_t found = at->second;
    running_.erase(at);
    return found;
  }

  void wait(std::uint32_t i) {
    const std::uint32_t found = take(file_.entries[i]);
    out_.of_wait[i] = found;
    if (found != no_index) {
      out_.wait_of[found] = i;
    } else if (out_.idle++ == 0) {
      out_.first_idle = i;
    }
  }

  const ParamFile& file_;
  ParamWaits out_;
  std::unordered_map<std::string_view, std::uint32_t> running_;  // by request
  std::deque<std::uint32_t> without_request_;
  std::string_view last_;             // most recent request
  std::vector<std::uint32_t> batch_;  // messages whose batch_isend_irecv has not come yet
};

}  // namespace

ParamWaits find_param_waits(const ParamFile& file) { return ParamWaitFinder(file).find(); }

}  // namespace convert
