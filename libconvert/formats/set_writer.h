// SPDX-License-Identifier: MIT
// Interface of writers of trace sets with one file per rank whose contents depend on the whole set.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/groups.h"
#include "core/diagnostic.h"
#include "core/time/recorded_time.h"
#include "core/trace.h"

namespace convert {

struct WrittenSetFacts {
  Rank ranks = 0;                   // actual number of ranks, for ranks whose metadata lacks it
  std::vector<CommGroup> groups{};  // by id
  std::int64_t first_ns = 0;        // recorded begin of the first node of all ranks
};

// A rank that is ready to be written, except for data about the whole set.
class RankDraft {
 public:
  RankDraft() = default;
  virtual ~RankDraft() = default;
  RankDraft(const RankDraft&) = delete;
  RankDraft& operator=(const RankDraft&) = delete;
  Rank rank = 0;
  std::int64_t first_ns = no_time;  // recorded begin of its first node
};

// Returns the recorded begin of the first node of a rank; no_time if no node has one.
[[nodiscard]] std::int64_t first_start_ns(const Trace& trace);

// All members except finish() may be called concurrently.
class SetWriter {
 public:
  virtual ~SetWriter() = default;
  // Converts a rank with all of its nodes. `rounds`: for each node, the round in which it begins if the ranks of
  // the set take turns; empty if unknown. Throws Error(input) if the format cannot express the rank.
  [[nodiscard]] virtual std::unique_ptr<RankDraft> draft(const Trace& rank,
                                                         std::span<const std::uint32_t> rounds) const = 0;
  // Appends the text of a rank's file; called once per draft. Afterwards the draft keeps only the data for
  // finish().
  virtual void write(RankDraft& draft, const WrittenSetFacts& facts, std::string& out) const = 0;
  // Warns about omitted or changed data. `drafts`: drafts of all ranks, by rank, already written.
  virtual void finish(std::span<const std::unique_ptr<RankDraft>> drafts, Diagnostics& diagnostics) const = 0;
};

}  // namespace convert
