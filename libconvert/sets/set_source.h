// SPDX-License-Identifier: MIT
// Interface of a trace set, read rank by rank, from files or computed by a tool.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/schedule.h"
#include "core/trace.h"
#include "formats/format.h"
#include "graph/kept_nodes.h"
#include "io/input_set.h"
#include "sets/rank_order.h"
#include "sets/world_sizes.h"
#include "util/parallel.h"

namespace convert {

class SetSource {
 public:
  SetSource() = default;
  virtual ~SetSource() = default;
  SetSource(const SetSource&) = delete;
  SetSource& operator=(const SetSource&) = delete;

  // Returns the base of output file names, also used in messages about the whole set.
  [[nodiscard]] virtual std::string base_name() const = 0;
  // Returns the name of the first file in messages; for a tar, of its first member.
  [[nodiscard]] virtual std::string first_file() const { return base_name(); }
  // Returns whether the set has more than one rank, as far as known before reading.
  [[nodiscard]] virtual bool many() = 0;
  // Returns whether this is a whole set, not single ranks of a set.
  [[nodiscard]] virtual bool whole_set() { return true; }
  // Returns the number of ranks if several threads can open them in any order; 0 if the set is one stream.
  [[nodiscard]] virtual std::size_t independent_ranks() const = 0;
  // Returns a reader of independent rank `i`. Thread-safe. The set must outlive its readers.
  [[nodiscard]] virtual std::unique_ptr<TraceReader> open_rank(std::size_t i) = 0;
  // Returns a reader of all ranks, in sequence; can be called only once. Readers of this and of open_rank() throw
  // Error(input) if they find no rank.
  [[nodiscard]] virtual std::unique_ptr<TraceReader> open_all() = 0;

  // Returns the process groups as the text of a groups file.
  [[nodiscard]] virtual std::optional<InputSet::Groups> groups() const = 0;
  // Returns the groups to write, without group 0 (all ranks), which needs no entry (ASTRA-sim rejects one); nothing
  // if there are no other groups. Warns if group 0 is not all ranks in order, because this information is lost.
  [[nodiscard]] std::optional<InputSet::Groups> groups_to_write(Diagnostics* diagnostics = nullptr) const;
  // Returns whether groups() is complete only after all ranks have been read; it may name ranks that the set lacks.
  [[nodiscard]] virtual bool groups_come_late() const { return false; }
  // Returns whether there are groups that would be lost in an output without a groups file.
  [[nodiscard]] virtual bool has_subgroups() const { return groups_to_write().has_value(); }
  // Returns the collective algorithm that the ranks were lowered from, or null.
  [[nodiscard]] virtual const Algorithm* algorithm() const { return nullptr; }
  // Returns the schedule of this algorithm, or null.
  [[nodiscard]] virtual const Schedule* schedule() const { return nullptr; }
  // Returns the set if it is class-compressed, else null. independent_ranks() are then in its order.
  [[nodiscard]] virtual const MasterSet* master() const { return nullptr; }
  // Returns whether the ranks match the output of another program byte for byte, so that nothing may be added.
  [[nodiscard]] virtual bool follows_reference() const { return false; }

  // Returns whether the nodes of each rank are in program order.
  [[nodiscard]] virtual bool tells_order() const { return false; }

  // Returns the world sizes stated in the metadata of the ranks read so far, which may exceed the ranks present;
  // null if this set does not collect them.
  [[nodiscard]] virtual const WorldSizes* world_sizes() const { return nullptr; }
  [[nodiscard]] std::optional<Rank> world() const {
    return world_sizes() == nullptr ? std::nullopt : world_sizes()->first();
  }
  // Warns, after all ranks are read, about missing ranks of the whole set.
  virtual void warn_of_missing_ranks() {}
  // Throws Error(input) [groups] if the groups are malformed or name ranks that are not below world().
  void check_groups() const;

  // Calls work(reader, head of the rank) for each rank, and consume(result) in input order. Processes independent
  // ranks with `jobs` threads.
  template <class Work, class Consume>
  void for_each_rank(unsigned jobs, const Work& work, const Consume& consume);
  // The same, in order of the results' member `rank`. Throws Error(input) if a rank is repeated.
  template <class Work, class Consume>
  void for_each_ascending(unsigned jobs, const Work& work, const Consume& consume);

  // Calls consume(Trace&&) for each rank, ascending, with whole nodes or at least the given `parts` of nodes.
  template <class Consume>
  void for_each_trace(unsigned jobs, const Consume& consume);
  template <class Consume>
  void for_each_trace(unsigned jobs, const NodeParts& parts, const Consume& consume);

  // Returns all traces, ascending by rank. Throws Error(input) if a rank is repeated.
  [[nodiscard]] std::vector<Trace> load(unsigned jobs);
};

// Number of nodes per batch for readers in parts.
inline constexpr std::size_t batch_nodes = 4096;
// Reads the rest of a rank after next_rank() has read its head.
void read_nodes(TraceReader& reader, Trace& trace);
// The same, batch by batch: calls visit() while `trace` contains the nodes of a batch. Afterwards `trace` contains
// all nodes with at least the given `parts`; a rank of one batch remains complete.
template <class Visit>
void read_nodes(TraceReader& reader, Trace& trace, const NodeParts& parts, const Visit& visit) {
  if (!reader.next_nodes(trace, all_nodes)) return;
  visit();
  NodeTable first = std::exchange(trace.nodes, {});
  if (!reader.next_nodes(trace, all_nodes)) {
    trace.nodes = std::move(first);
    return;
  }
  KeptNodes kept(parts);
  kept.add(std::exchange(first, {}));
  do {
    visit();
    kept.add(trace.nodes);
  } while (reader.next_nodes(trace, all_nodes));
  trace.nodes = kept.take();
}

template <class Work, class Consume>
void SetSource::for_each_rank(unsigned jobs, const Work& work, const Consume& consume) {
  if (const std::size_t n = independent_ranks(); n > 0) {
    const auto one = [&](std::size_t i) {
      Trace head;
      const auto reader = open_rank(i);
      (void)reader->next_rank(head);  // throws if there is no rank
      return work(*reader, head);
    };
    for_each_ordered(jobs, n, one,
                     [&](std::size_t, auto&& result) { consume(std::forward<decltype(result)>(result)); });
  } else {
    const auto reader = open_all();
    Trace head;
    while (reader->next_rank(head)) consume(work(*reader, head));
  }
}

template <class Work, class Consume>
void SetSource::for_each_ascending(unsigned jobs, const Work& work, const Consume& consume) {
  using Result = std::invoke_result_t<const Work&, TraceReader&, Trace&>;
  RankOrder<Result> order(base_name());
  const auto hand_on = [&](Rank, Result&& result) { consume(std::move(result)); };
  for_each_rank(jobs, work, [&](Result&& result) { order.add(result.rank, std::move(result), hand_on); });
  order.finish(hand_on);
}

template <class Consume>
void SetSource::for_each_trace(unsigned jobs, const Consume& consume) {
  const auto read = [](TraceReader& reader, Trace& trace) {
    read_nodes(reader, trace);
    return std::exchange(trace, {});
  };
  for_each_ascending(jobs, read, consume);
}

template <class Consume>
void SetSource::for_each_trace(unsigned jobs, const NodeParts& parts, const Consume& consume) {
  const auto read = [&](TraceReader& reader, Trace& trace) {
    read_nodes(reader, trace, parts, [] {});
    return std::exchange(trace, {});
  };
  for_each_ascending(jobs, read, consume);
}

// Throws Error(input) with a missing rank unless the traces are ranks 0…n-1 in order.
void require_whole_set(const std::vector<Trace>& traces);

}  // namespace convert
