// SPDX-License-Identifier: MIT
// File names of a set. input_set.cpp reads them.
#include "io/set_path.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "core/diagnostic.h"
#include "core/units.h"
#include "core/words.h"
#include "io/output.h"
#include "io/set_name.h"

namespace convert {
namespace {

constexpr std::size_t most_near_names = 5;

bool is_hidden(std::string_view path) { return file_name_part(path).starts_with('.'); }

// Returns "ring.3" for "ring.3.et.gz"; nothing for other names.
std::optional<std::string_view> without_suffixes(std::string_view path) {
  std::string_view name = without_compression_suffix(path);
  if (!name.ends_with(".et") || is_hidden(path)) return std::nullopt;
  name.remove_suffix(3);
  return name;
}

// Splits "ring.3" at its last dot. Returns nothing if there is no dot, or nothing before it.
std::optional<std::pair<std::string_view, std::string_view>> split_number(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || name[dot - 1] == '/') return std::nullopt;
  return std::pair(name.substr(0, dot), name.substr(dot + 1));
}

// Removes ".R" from the end of `name` and returns R.
std::optional<std::uint32_t> take_rank_suffix(std::string_view& name) {
  const auto parts = split_number(name);
  const auto rank = parts ? parse_plain(parts->second, UINT32_MAX) : std::nullopt;
  if (!rank) return std::nullopt;
  name = parts->first;
  return static_cast<std::uint32_t>(*rank);
}

}  // namespace

std::string_view file_name_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::optional<SetMember> set_member(std::string_view path) {
  std::optional<std::string_view> name = without_suffixes(path);
  if (!name) return std::nullopt;
  const std::optional<std::uint32_t> rank = take_rank_suffix(*name);
  if (!rank) return std::nullopt;
  return SetMember{std::string(*name), *rank};
}

bool is_master_name(std::string_view path) {
  return without_compression_suffix(path).ends_with(".etm") && !is_hidden(path);
}

std::optional<std::string> set_of_near_rank(std::string_view path) {
  const std::optional<std::string_view> name = without_suffixes(path);
  if (!name || set_member(path)) return std::nullopt;
  const auto parts = split_number(*name);
  if (!parts) return std::nullopt;
  auto [set, number] = *parts;
  if (number.starts_with('-') || number.starts_with('+')) number.remove_prefix(1);
  if (number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return std::string(set);
}

void NearRanks::add(const std::string& name) {
  if (count++ < most_near_names) names.push_back(name);
}

std::string NearRanks::text(std::uint32_t most) const {
  std::string list = join(names);
  if (count > names.size()) list += " and " + std::to_string(count - names.size()) + " more";
  return list + (count == 1 ? " is" : " are") + " not read: a rank is a number from 0 to " + std::to_string(most) +
         ", without leading zeros or a sign";
}

namespace {

// Calls each(name) for the names in a directory, "" or ending in "/". Does nothing if the directory does not exist.
template <class Each>
void for_each_name(const std::string& directory, const Each& each) {
  DIR* const stream = ::opendir(directory.empty() ? "." : directory.c_str());
  if (stream == nullptr) {
    if (errno == ENOENT || errno == ENOTDIR) return;
    throw system_error(directory.empty() ? "." : directory, errno);
  }
  errno = 0;
  while (const dirent* entry = ::readdir(stream)) each(entry->d_name);
  const int error = errno;
  ::closedir(stream);
  if (error != 0) throw system_error(directory, error);
}

void sort_ranks(std::vector<RankFile>& files, std::vector<std::string>& near_names, NearRanks* near) {
  std::ranges::sort(near_names);
  for (const std::string& name : near_names) near->add(name);
  std::ranges::sort(files, [](const RankFile& a, const RankFile& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.path < b.path;
  });
}

// Returns "3" for "in/3.json.gz"; nothing for other names.
std::optional<std::string_view> json_stem(std::string_view path) {
  std::string_view name = without_compression_suffix(file_name_part(path));
  if (!name.ends_with(".json")) return std::nullopt;
  name.remove_suffix(5);
  return name;
}

}  // namespace

std::vector<RankFile> rank_files(const std::string& directory, const std::string& set, std::set<std::string>* sets,
                                 NearRanks* near) {
  std::vector<RankFile> files;
  std::vector<std::string> near_names;
  for_each_name(directory, [&](const char* name) {
    const std::optional<SetMember> member = set_member(name);
    if (!member) {
      const auto near_set = near != nullptr ? set_of_near_rank(name) : std::nullopt;
      if (near_set && (sets != nullptr || *near_set == set)) near_names.push_back(directory + name);
      return;
    }
    if (sets != nullptr) sets->insert(member->set);
    if (sets != nullptr || member->set == set) files.push_back({member->rank, directory + name});
  });
  sort_ranks(files, near_names, near);
  return files;
}

std::string numbered_path(const std::string& folder, std::uint32_t rank, const std::string& suffix) {
  return folder + std::to_string(rank) + ".json" + suffix;
}

std::optional<std::uint32_t> numbered_rank(std::string_view path) {
  const auto stem = json_stem(path);
  const auto rank = stem ? parse_plain(*stem, UINT32_MAX) : std::nullopt;
  return rank ? std::optional(static_cast<std::uint32_t>(*rank)) : std::nullopt;
}

std::vector<RankFile> numbered_files(const std::string& folder, NearRanks* near) {
  std::vector<RankFile> files;
  std::vector<std::string> near_names;
  for_each_name(folder, [&](const char* name) {
    const auto stem = json_stem(name);
    if (const auto rank = numbered_rank(name)) {
      files.push_back({*rank, folder + name});
    } else if (near != nullptr && stem && set_of_near_rank("x." + std::string(*stem) + ".et")) {
      near_names.push_back(folder + name);
    }
  });
  sort_ranks(files, near_names, near);
  return files;
}

std::vector<std::string> master_files(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (is_master_name(name)) files.push_back(std::move(name));
  }
  if (error) throw system_error(directory, error.value());
  std::ranges::sort(files);
  return files;
}

std::string base_of_file(std::string_view path) {
  if (path.starts_with("/dev/") || path.starts_with("/proc/")) return "stdin";
  std::string_view name = file_name_part(path);
  name = name.ends_with(".tgz") ? name.substr(0, name.size() - 4) : without_compression_suffix(name);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::string(name);
  // Digits are part of a version, as in v1.2. Only the last of several compression suffixes is removed.
  const std::string_view suffix = name.substr(dot + 1);
  const bool version = suffix.find_first_not_of("0123456789") == std::string_view::npos;
  if (version || compression_of(name) != Compression::none) return std::string(name);
  name.remove_suffix(suffix.size() + 1);
  if (suffix != "tar") (void)take_rank_suffix(name);
  return std::string(name);
}

std::string rank_path(const std::string& prefix, std::uint32_t rank, const std::string& suffix) {
  return prefix + "." + std::to_string(rank) + ".et" + suffix;
}

std::optional<std::uint32_t> rank_of(const std::string& path) {
  const std::optional<SetMember> member = set_member(path);
  return member ? std::optional(member->rank) : std::nullopt;
}

std::vector<RankFile> existing_ranks(const std::string& prefix, NearRanks* near) {
  const std::size_t name_at = prefix.rfind('/') + 1;
  return rank_files(prefix.substr(0, name_at), prefix.substr(name_at), nullptr, near);
}

}  // namespace convert
