// SPDX-License-Identifier: MIT
// Names of trace sets and their files: "ring" ↔ ring.0.et … ring.7.et.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

// "ring.xml" of "in/ring.xml"; empty for "in/".
[[nodiscard]] std::string_view file_name_part(std::string_view path);
[[nodiscard]] std::string directory_of(const std::string& path);  // "." if it names none
// "out/ring", 3 → "out/ring.3.et" (+ suffix such as ".gz").
[[nodiscard]] std::string rank_path(const std::string& prefix, std::uint32_t rank, const std::string& suffix = {});
// Rank in "ring.3.et" (also with .gz, .zst); none if the name is not of that form or R has leading zeros.
[[nodiscard]] std::optional<std::uint32_t> rank_of(const std::string& path);
// "ring" of "in/ring.tar.gz", "in/ring.xml", "in/ring.0.et"; "stdin" of "/dev/fd/63".
[[nodiscard]] std::string base_of_file(std::string_view path);
// Files that are named like ranks and are none: "ring.07.et", "ring.-1.et", "ring.4294967296.et".
struct NearRanks {
  std::uint64_t count = 0;
  std::vector<std::string> names{};  // of the first few

  void add(const std::string& name);
  // "ring.07.et and 2 more are not read: …", which says what a rank is, up to `most`. Not of none.
  [[nodiscard]] std::string text(std::uint32_t most = 0xffffffff) const;
};
// Ranks for which prefix.R.et[.gz|.zst] exists, ascending, as (rank, path).
struct RankFile {
  std::uint32_t rank;
  std::string path;
};
// Files of that prefix that are nearly ranks are added to `near`, if it is given.
[[nodiscard]] std::vector<RankFile> existing_ranks(const std::string& prefix, NearRanks* near = nullptr);

}  // namespace convert
