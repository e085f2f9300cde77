// SPDX-License-Identifier: MIT
#include "sets/derived/fixed_source.h"

#include <utility>

namespace convert {
namespace {

class FixingReader final : public TraceReader {
 public:
  FixingReader(std::unique_ptr<TraceReader> reader, const FixedSource::OnFixed& on_fixed)
      : reader_(std::move(reader)), on_fixed_(on_fixed) {}

  bool next_rank(Trace& out) override {
    fixes_ = {};
    return reader_->next_rank(out);
  }
  bool next_nodes(Trace& out, std::size_t max_nodes) override {
    if (reader_->next_nodes(out, max_nodes)) {
      fixes_ += fix_nodes(out.nodes);
      return true;
    }
    if (on_fixed_) on_fixed_(out, std::exchange(fixes_, {}));
    return false;
  }

 private:
  std::unique_ptr<TraceReader> reader_;
  const FixedSource::OnFixed& on_fixed_;
  Fixes fixes_;
};

}  // namespace

std::unique_ptr<TraceReader> FixedSource::wrap(std::unique_ptr<TraceReader> reader) const {
  return std::make_unique<FixingReader>(std::move(reader), on_fixed_);
}

}  // namespace convert
