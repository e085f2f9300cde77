// SPDX-License-Identifier: MIT
// Converts between names of trace sets and names of their files: "ring" ↔ ring.0.et … ring.7.et.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

// Suffix of the file with a set's process groups, after the set's name.
constexpr std::string_view groups_suffix = ".groups.json";
// Suffix of the file that lists the ranks represented by each rank of a folded set.
constexpr std::string_view classes_suffix = ".classes.json";

// Returns "ring.xml" for "in/ring.xml"; empty for "in/".
[[nodiscard]] std::string_view file_name_part(std::string_view path);
[[nodiscard]] std::string directory_of(const std::string& path);  // "." for a path without a directory
// Returns "out/ring.3.et" for "out/ring" and 3 (+ suffix such as ".gz").
[[nodiscard]] std::string rank_path(const std::string& prefix, std::uint32_t rank, const std::string& suffix = {});
// Returns the 3 of "ring.3.et" (also with .gz, .zst); nothing for other names and numbers with leading zeros.
[[nodiscard]] std::optional<std::uint32_t> rank_of(const std::string& path);
// Do the same for sets whose files are named by rank alone: "out/3.json" for "out/" and 3, and the 3 of such a
// name.
[[nodiscard]] std::string numbered_path(const std::string& folder, std::uint32_t rank,
                                        const std::string& suffix = {});
[[nodiscard]] std::optional<std::uint32_t> numbered_rank(std::string_view path);
// Returns "ring" for "in/ring.tar.gz", "in/ring.xml", "in/ring.0.et"; "stdin" for "/dev/fd/63".
[[nodiscard]] std::string base_of_file(std::string_view path);
// Files that are named almost like ranks: "ring.07.et", "ring.-1.et", "ring.4294967296.et".
struct NearRanks {
  std::uint64_t count = 0;
  std::vector<std::string> names{};  // of the first few

  void add(const std::string& name);
  // Returns "ring.07.et and 2 more are not read: a rank is a number from 0 to MOST …". Requires count > 0.
  [[nodiscard]] std::string text(std::uint32_t most = 0xffffffff) const;
};
struct RankFile {
  std::uint32_t rank;
  std::string path;
};
// Returns the files prefix.R.et[.gz|.zst] by ascending rank R and path; empty if the directory does not exist. Adds
// files that are named almost like ranks to `near`. Throws Error(system) if the directory cannot be read.
[[nodiscard]] std::vector<RankFile> existing_ranks(const std::string& prefix, NearRanks* near = nullptr);
// Does the same for the files R.json[.gz|.zst] of a folder, "" or ending in "/".
[[nodiscard]] std::vector<RankFile> numbered_files(const std::string& folder, NearRanks* near = nullptr);

}  // namespace convert
