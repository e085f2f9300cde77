// SPDX-License-Identifier: MIT
// Reads the ranks of a set for a program. Ranks that equal a known rank are found by their encoded bytes; only the
// other ranks are decoded and compiled.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "core/trace.h"
#include "sets/classes/encoded_nodes.h"
#include "sets/set_source.h"
#include "simulate/program/like.h"
#include "simulate/program/program.h"

namespace convert {

class KnownRanks {
 public:
  // Returns the builder; the first call is with the first rank.
  using Begin = std::function<ReplayBuilder&(const Trace& first)>;
  KnownRanks(Begin begin, const ReplayOptions& options);

  // A rank that was read: a copy of a known rank with changes, or its trace.
  struct Read {
    Rank rank = 0;
    std::optional<LikeRank> like{};
    std::size_t place = 0;  // of the known rank in the list
    std::unique_ptr<Trace> trace{};
    std::shared_ptr<CompiledRank> compiled{};  // null: compiled by add(), in order
  };
  // Reads the nodes of a rank. Thread-safe, also while ranks are added.
  [[nodiscard]] Read read(TraceReader& reader, Trace& head) const;
  // Adds the next rank.
  void add(Read&& rank);

 private:
  struct Known {
    std::shared_ptr<const RankModel> model;
    EncodedNodes nodes;
  };
  using List = std::vector<std::shared_ptr<const Known>>;

  [[nodiscard]] std::shared_ptr<const List> list() const;
  [[nodiscard]] bool find(const List& known, const TraceReader::Encoded& bytes, const NodeTable* table,
                          RankChanges& changes, Read& to) const;
  void learn(const Trace& trace);
  [[nodiscard]] std::unique_ptr<Trace> empty_trace() const;
  void finish(std::unique_ptr<Trace> trace) const;

  const Begin begin_;
  const ReplayOptions& options_;
  bool finds_any_;
  std::atomic<ReplayBuilder*> builder_ = nullptr;  // null before the first rank
  mutable std::mutex mutex_;
  std::shared_ptr<const List> list_ = std::make_shared<List>();
  std::vector<std::uint64_t> used_;                       // by place in the list: time of the last use
  std::atomic<std::size_t> found_last_ = 0;               // a place in the list
  mutable std::vector<std::unique_ptr<Trace>> finished_;  // memory for other traces
  std::uint64_t learned_ = 0;
  std::uint64_t found_ = 0;
};

}  // namespace convert
