// SPDX-License-Identifier: MIT
// Traces in a test's memory as a set.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sets/set_source.h"

namespace convert::test {

// Traces, and groups if there are any.
class HeldSet : public SetSource {
 public:
  explicit HeldSet(std::vector<Trace> traces, std::string groups = {})
      : traces_(std::move(traces)), groups_(std::move(groups)) {}

  [[nodiscard]] std::string base_name() const override { return "held"; }
  [[nodiscard]] bool many() override { return traces_.size() > 1; }
  [[nodiscard]] std::size_t independent_ranks() const override { return traces_.size(); }
  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override {
    return std::make_unique<Reader>(*this, i, i + 1);
  }
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override {
    return std::make_unique<Reader>(*this, 0, traces_.size());
  }
  [[nodiscard]] std::optional<InputSet::Groups> groups() const override {
    if (groups_.empty()) return std::nullopt;
    return InputSet::Groups{"held.groups.json", groups_};
  }

 protected:
  std::vector<Trace> traces_;

 private:
  class Reader : public TraceReader {
   public:
    Reader(const HeldSet& set, std::size_t first, std::size_t last) : set_(set), next_(first), last_(last) {}
    bool next_rank(Trace& out) override {
      if (next_ == last_) return false;
      out = set_.traces_[next_++];
      std::swap(nodes_, out.nodes);
      out.nodes.clear();
      return true;
    }
    bool next_nodes(Trace& out, std::size_t /*max_nodes*/) override {
      out.nodes.clear();
      std::swap(out.nodes, nodes_);
      return !out.nodes.nodes.empty();
    }

   private:
    const HeldSet& set_;
    std::size_t next_;
    std::size_t last_;
    NodeTable nodes_;
  };
  std::string groups_;
};

}  // namespace convert::test
