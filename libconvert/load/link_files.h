// SPDX-License-Identifier: MIT
// The files of many ranks by one pattern: host.%r.json, worker%r_*.pt.trace.json.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/trace.h"
#include "io/set_path.h"

namespace convert {

inline constexpr Rank most_linked_ranks = 1U << 24U;

// Of a name with %r, the rank: what is there when this is made. %% is a percent sign; beside %r, * is any text of a
// file or folder name. A name without %r is one file's, whatever else it holds.
class RankFiles {
 public:
  // Throws Error(usage) if two files are of one rank.
  explicit RankFiles(std::string pattern);

  [[nodiscard]] bool has_rank() const { return has_rank_; }
  [[nodiscard]] const std::string& pattern() const { return pattern_; }
  // The name for a rank without a file is the pattern with the rank in its place.
  [[nodiscard]] std::string of(Rank rank) const;
  // Ascending. Throws Error(usage) if there is none, or if one is missing between them, which it names.
  [[nodiscard]] std::vector<Rank> ranks() const;
  // Those that have files, without the given ones; ascending both.
  [[nodiscard]] std::vector<Rank> others(const std::vector<Rank>& than) const;
  // Files that are nearly ranks: host.07.json.
  [[nodiscard]] const NearRanks& near() const { return near_; }

 private:
  void find(const std::string& folder, std::size_t at, std::string_view number);
  void add(const std::string& path, std::string_view number);

  std::string pattern_;
  bool has_rank_ = false;
  std::vector<std::string> parts_;  // of the pattern, between slashes
  std::map<Rank, std::string> files_;
  NearRanks near_;
};

// "0-3,8" as ranks, ascending. Throws Error(usage).
[[nodiscard]] std::vector<Rank> parse_ranks(const std::string& list);

}  // namespace convert
