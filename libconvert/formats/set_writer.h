// SPDX-License-Identifier: MIT
// Declares writers of sets whose files, one a rank, say things of the whole set.
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
  Rank ranks = 0;                   // as many as there are, where a rank's metadata do not say
  std::vector<CommGroup> groups{};  // by id
  std::int64_t first_ns = 0;        // when the first of all nodes began, as recorded
};

// Holds a rank that is ready to be written but for what only the whole set tells.
class RankDraft {
 public:
  RankDraft() = default;
  virtual ~RankDraft() = default;
  RankDraft(const RankDraft&) = delete;
  RankDraft& operator=(const RankDraft&) = delete;
  Rank rank = 0;
  std::int64_t first_ns = no_time;  // when the first of its nodes began
};

// Returns when the first node of a rank began, as recorded; no_time if no node says.
[[nodiscard]] std::int64_t first_start_ns(const Trace& trace);

// Members but finish() may be called by several threads.
class SetWriter {
 public:
  virtual ~SetWriter() = default;
  // Takes a rank with all of its nodes. `rounds`: of each node, in which of them it begins if the ranks of the set
  // take turns; empty if that is not known. Throws Error(input) at what the format cannot express.
  [[nodiscard]] virtual std::unique_ptr<RankDraft> draft(const Trace& rank,
                                                         std::span<const std::uint32_t> rounds) const = 0;
  // Appends the text of a rank's file; called once for each draft, which keeps what finish() needs alone.
  virtual void write(RankDraft& draft, const WrittenSetFacts& facts, std::string& out) const = 0;
  // Warns of what was left out or changed. `drafts`: all, by rank, written.
  virtual void finish(std::span<const std::unique_ptr<RankDraft>> drafts, Diagnostics& diagnostics) const = 0;
};

}  // namespace convert
