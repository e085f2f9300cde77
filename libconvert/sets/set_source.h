// SPDX-License-Identifier: MIT
// Declares the interface of a set of traces, rank by rank, whether read from files or made by a tool.
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

  // Returns the base of the names of outputs, also for messages about the set as a whole.
  [[nodiscard]] virtual std::string base_name() const = 0;
  // Returns what messages call the first file, of a tar its first member.
  [[nodiscard]] virtual std::string first_file() const { return base_name(); }
  // Returns whether the set has more than one rank, as far as can be told before reading.
  [[nodiscard]] virtual bool many() = 0;
  // Returns whether this is a whole set, not single ranks of one.
  [[nodiscard]] virtual bool whole_set() { return true; }
  // Returns the number of ranks if several threads can open them in any order; 0 if the set is one stream.
  [[nodiscard]] virtual std::size_t independent_ranks() const = 0;
  // Returns a reader of one of these ranks, `i` of independent_ranks(); several threads may call it. The set must
  // outlive its readers.
  [[nodiscard]] virtual std::unique_ptr<TraceReader> open_rank(std::size_t i) = 0;
  // Returns a reader of all ranks, one after the other; can be called once only. Like open_rank()'s, a reader that
  // finds no rank at all throws Error(input).
  [[nodiscard]] virtual std::unique_ptr<TraceReader> open_all() = 0;

  // Returns the process groups as the text of a groups file.
  [[nodiscard]] virtual std::optional<InputSet::Groups> groups() const = 0;
  // Returns the groups to write: without group 0, that of all ranks, which needs no entry (ASTRA-sim refuses one).
  // Nothing if there is no other. Warns if group 0 is not all ranks in their order, since that is lost.
  [[nodiscard]] std::optional<InputSet::Groups> groups_to_write(Diagnostics* diagnostics = nullptr) const;
  // Returns whether groups() is complete only when all ranks have been read; it may name ranks that the set lacks.
  [[nodiscard]] virtual bool groups_come_late() const { return false; }
  // Returns whether there are groups that an output without a groups file loses.
  [[nodiscard]] virtual bool has_subgroups() const { return groups_to_write().has_value(); }
  // Returns the collective algorithm that the ranks come from, or null.
  [[nodiscard]] virtual const Algorithm* algorithm() const { return nullptr; }
  // Returns the schedule that this algorithm was made of, or null.
  [[nodiscard]] virtual const Schedule* schedule() const { return nullptr; }
  // Returns the set by classes of ranks if it is held so, else null; independent_ranks() is then in its order.
  [[nodiscard]] virtual const MasterSet* master() const { return nullptr; }
  // Returns whether the ranks are byte for byte what another program writes, so that nothing may be added to them.
  [[nodiscard]] virtual bool follows_reference() const { return false; }

  // Returns what the metadata of the ranks read so far say of the number of ranks of the whole set, which may be
  // more than are here; null if this set does not collect that.
  [[nodiscard]] virtual const WorldSizes* world_sizes() const { return nullptr; }
  [[nodiscard]] std::optional<Rank> world() const {
    return world_sizes() == nullptr ? std::nullopt : world_sizes()->first();
  }
  // Warns, after all ranks were read, of ranks that are missing by what is known of the whole set.
  virtual void warn_of_missing_ranks() {}
  // Throws Error(input) [groups] if the groups are malformed or name ranks beyond world().
  void check_groups() const;

  // Calls work(reader, head of the rank) for each rank and consume(its result) in the order of the input.
  // Independent ranks are worked on by `jobs` threads.
  template <class Work, class Consume>
  void for_each_rank(unsigned jobs, const Work& work, const Consume& consume);
  // Does the same in the order of the results' member `rank`. Throws Error(input) if two are of one rank.
  template <class Work, class Consume>
  void for_each_ascending(unsigned jobs, const Work& work, const Consume& consume);

  // Calls consume(Trace&&) for each whole rank, ascending; or with what `parts` says of its nodes, at least.
  template <class Consume>
  void for_each_trace(unsigned jobs, const Consume& consume);
  template <class Consume>
  void for_each_trace(unsigned jobs, const NodeParts& parts, const Consume& consume);

  // Returns all traces, ascending by rank. Throws Error(input) on two ranks of one number.
  [[nodiscard]] std::vector<Trace> load(unsigned jobs);
};

// How many nodes to ask a reader for when a part at a time will do.
inline constexpr std::size_t batch_nodes = 4096;
// Reads the rest of a rank whose head was read with next_rank.
void read_nodes(TraceReader& reader, Trace& trace);
// Reads it batch by batch: calls visit() for each, when `trace` holds the nodes of that batch. Leaves of all nodes
// in `trace` what `parts` says, at least: a rank of one batch stays as it is.
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
      (void)reader->next_rank(head);  // throws if there is none
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

// Throws Error(input) that names a missing rank unless the traces are ranks 0…n-1 in order.
void require_whole_set(const std::vector<Trace>& traces);

}  // namespace convert
