// SPDX-License-Identifier: MIT
// Finds what all ranks of a set must know of each other before any of them is anonymised.
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

// Holds what one rank has to tell.
struct RankSurvey {
  Rank rank = 0;
  std::optional<DenseIds> ids{};
  std::vector<std::string> groups{};  // that its nodes name, each once
  std::int64_t begin_ns = no_time;    // of the node that began first
  bool starts_in_us = false;          // a node says its start in microseconds alone
  std::vector<std::string> names{};   // of nodes, each once, for HiddenNames::number
  SizeCounts sizes{};                 // for AnonymizeOptions::least_uses
};

// Reads a rank batch by batch.
class RankSurveyor {
 public:
  // All must outlive this object.
  RankSurveyor(const Trace& trace, const AnonymizeOptions& options);
  // Takes the nodes that the trace holds now, without their sizes.
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

// Holds what was found in all ranks.
struct SetFacts {
  bool has_starts = true;     // some node says when it began
  std::int64_t first_ns = 0;  // what is taken off each start
  GroupNumbers groups{};
  NameNumbers names{};
  std::vector<std::pair<Rank, Rank>> ranks{};  // old and new numbers, by old ones; empty: they stay
  // Members, ascending, of groups that no file lists, by old names: "" is that of all ranks. For `ranks`.
  std::map<std::string, std::vector<Rank>, std::less<>> unlisted{};

  [[nodiscard]] Rank rank(Rank before) const;
};

// Adds the ranks one by one, in their order.
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

// Returns the ranks in an order that the key decides, as old and new numbers.
[[nodiscard]] std::vector<std::pair<Rank, Rank>> permuted_ranks(std::vector<Rank> ranks, const KeyedHash& hash);

}  // namespace convert
