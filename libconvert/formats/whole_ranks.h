// SPDX-License-Identifier: MIT
// TraceReader of ranks that a function creates whole, one after the other.
#pragma once

#include <functional>
#include <utility>

#include "formats/format.h"

namespace convert {

class WholeRanks final : public TraceReader {
 public:
  // Fills `out` with the next rank, including its nodes. Returns false at the end.
  using Make = std::function<bool(Trace& out)>;
  explicit WholeRanks(Make make) : make_(std::move(make)) {}

  bool next_rank(Trace& out) override {
    if (!make_(out)) return false;
    std::swap(nodes_, out.nodes);
    out.nodes.clear();
    return true;
  }
  bool next_nodes(Trace& out, std::size_t /*max_nodes*/) override {
    out.nodes.clear();
    std::swap(nodes_, out.nodes);
    return !out.nodes.nodes.empty();
  }

 private:
  Make make_;
  NodeTable nodes_;
};

}  // namespace convert
