// SPDX-License-Identifier: MIT
// Collects facts about all ranks of a set that are needed before any rank is anonymised.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text_set.h"
#include "core/time/recorded_time.h"
#include "core/trace.h"
#include "passes/anonymize/groups.h"
#include "passes/anonymize/ids.h"
#include "passes/anonymize/names.h"
#include "passes/anonymize/options.h"
#include "passes/anonymize/sizes.h"

namespace convert {

// Facts about one rank.
struct RankSurvey {
  Rank rank = 0;
  std::optional<DenseIds> ids{};
  std::vector<std::string> groups{};  // group names on its nodes, without repetition
  std::int64_t begin_ns = no_time;    // earliest start of a node
  bool starts_in_us = false;          // some node has its start only in microseconds
  std::vector<std::string> names{};   // names of nodes, without repetition, for HiddenNames::number
  SizeCounts sizes{};                 // for AnonymizeOptions::least_uses
};

// Reads a rank batch by batch.
class RankSurveyor {
 public:
  // Both arguments must outlive this object.
  RankSurveyor(const Trace& trace, const AnonymizeOptions& options);
  // Reads the nodes that the trace currently holds, except for their sizes.
  void add_batch();
  [[nodiscard]] RankSurvey finish();

 private:
  void add_start(const Node& node);

  const Trace& trace_;
  const AnonymizeOptions& options_;
  std::int64_t base_ns_;
  RankSurvey out_;
  DenseIdCheck ids_;
  TextSet groups_, names_;
};

// Facts about all ranks.
struct SetFacts {
  bool has_starts = true;     // some node has a start
  std::int64_t first_ns = 0;  // subtracted from each start
  GroupNumbers groups{};
  NameNumbers names{};
  std::vector<std::pair<Rank, Rank>> ranks{};  // old and new numbers, by old number; empty: unchanged
  // Members, ascending, of groups that no file lists, by old name; "" is the group of all ranks. Used if ranks are
  // permuted.
  std::map<std::string, std::vector<Rank>, std::less<>> unlisted{};

  [[nodiscard]] Rank rank(Rank before) const;
};

// Combines the surveys of all ranks. Ranks must be added in order.
class SetSurvey {
 public:
  void add(const RankSurvey& rank);
  [[nodiscard]] bool has_starts() const { return begin_ns_ != no_time; }
  [[nodiscard]] std::int64_t first_ns() const;
  [[nodiscard]] const SizeCounts& sizes() const { return sizes_; }
  [[nodiscard]] NameNumbers take_names() { return std::move(names_); }

 private:
  std::int64_t begin_ns_ = no_time;
  bool starts_in_us_ = false;
  SizeCounts sizes_;
  NameNumbers names_;
};

// Returns the ranks in an order derived from the key, as pairs of old and new number.
[[nodiscard]] std::vector<std::pair<Rank, Rank>> permuted_ranks(std::vector<Rank> ranks, const KeyedHash& hash);

}  // namespace convert
