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
// Ranks for which prefix.R.et[.gz|.zst] exists, ascending, as (rank, path).
struct RankFile {
  std::uint32_t rank;
  std::string path;
};
[[nodiscard]] std::vector<RankFile> existing_ranks(const std::string& prefix);

}  // namespace convert
