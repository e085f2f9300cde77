// SPDX-License-Identifier: MIT
// Finds the files of many ranks by one pattern: host.%r.json, worker%r_*.pt.trace.json.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/trace.h"
#include "io/set_path.h"

namespace convert {

// Finds the file of each rank by a pattern with %r for the rank. %% is a percent sign. In a pattern with %r, *
// matches any text of a file or folder name, as in shells. A pattern without %r is the literal name of one file.
class RankFiles {
 public:
  // Throws Error(usage) if a pattern without %r names a directory.
  explicit RankFiles(std::string pattern);

  [[nodiscard]] bool has_rank() const { return has_rank_; }
  // Returns the file of a rank, or the pattern with the rank inserted if there is no file. Throws Error(usage) if
  // there are two.
  [[nodiscard]] std::string of(Rank rank) const;
  // Returns the ranks that have files, ascending; sets `near` to near-rank names, such as host.07.json. Throws
  // Error(usage) if there are no files, or if a rank is missing between them.
  [[nodiscard]] std::vector<Rank> ranks(NearRanks& near);
  // Returns the ranks that have files and are not in `ranks` (ascending); none if folders cannot be listed.
  [[nodiscard]] std::vector<Rank> others(const std::vector<Rank>& ranks);

 private:
  void look(bool may_fail);
  void find(const std::string& folder, std::size_t at, const std::string& number, bool may_fail);
  void add(const std::string& path, std::string_view number);

  std::string pattern_;
  bool has_rank_ = false;
  bool looked_ = false;
  std::vector<std::string> parts_;                  // of the pattern, between slashes
  std::map<Rank, std::vector<std::string>> files_;  // the first two files of each rank
  NearRanks near_;                                  // such as host.07.json
};

}  // namespace convert
