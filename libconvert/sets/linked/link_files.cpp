// SPDX-License-Identifier: MIT
#include "sets/linked/link_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "core/diagnostic.h"
#include "core/rank_list.h"
#include "core/words.h"

namespace convert {
namespace {

std::string with_rank(const std::string& pattern, std::string_view rank) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '%' && i + 1 < pattern.size() && (pattern[i + 1] == 'r' || pattern[i + 1] == '%')) {
      out += pattern[++i] == 'r' ? rank : "%";
    } else {
      out += pattern[i];
    }
  }
  return out;
}

bool names_rank(const std::string& pattern) { return with_rank(pattern, "0") != with_rank(pattern, "1"); }

// Returns whether `name` matches a part of the pattern with this number for %r. The number must not be adjacent to
// other digits. Takes |name| x |part| steps.
bool matches(std::string_view name, std::string_view part, std::string_view number) {
  const auto is_digit = [&](std::size_t i) { return i < name.size() && name[i] >= '0' && name[i] <= '9'; };
  std::vector<bool> at(name.size() + 1);  // whether this prefix of the name matches the part so far
  at[0] = true;
  while (!part.empty()) {
    std::vector<bool> next(name.size() + 1);
    const bool is_number = part.starts_with("%r"), is_star = part[0] == '*';
    const std::string_view text = is_number ? number : part.substr(0, 1);
    for (std::size_t i = 0; i <= name.size(); ++i) {
      if (is_star) {
        next[i] = at[i] || (i > 0 && next[i - 1]);
      } else if (at[i] && name.substr(i).starts_with(text)) {
        const std::size_t end = i + text.size();
        const bool is_part = is_number && ((i > 0 && is_digit(i - 1) && is_digit(i)) || is_digit(end));
        if (!is_part) next[end] = true;
      }
    }
    at = std::move(next);
    part.remove_prefix(is_number || part.starts_with("%%") ? 2 : 1);
  }
  return at.back();
}

// Returns the candidates for %r in the name: "7", but also "07" or "-1", which are near ranks.
std::set<std::string> numbers_of(std::string_view name) {
  constexpr std::string_view digits = "0123456789";
  std::set<std::string> numbers;
  for (std::size_t i = name.find_first_of(digits); i < name.size(); i = name.find_first_of(digits, i)) {
    const std::size_t end = std::min(name.find_first_not_of(digits, i), name.size());
    numbers.emplace(name.substr(i, end - i));
    if (i > 0 && (name[i - 1] == '-' || name[i - 1] == '+')) numbers.emplace(name.substr(i - 1, end - i + 1));
    i = end;
  }
  return numbers;
}

}  // namespace

RankFiles::RankFiles(std::string pattern)
    : pattern_(std::move(pattern)), has_rank_(names_rank(pattern_)), parts_(split(pattern_, '/')) {
  std::error_code error;
  if (!has_rank_ && std::filesystem::is_directory(pattern_, error)) {
    throw usage_error("'" + pattern_ + "' is a directory; name its files, with %r for the rank, as in '" +
                      (std::filesystem::path(pattern_) / "*%r*.json").string() + "'");
  }
  if (has_rank_ && pattern_.find('*') != std::string::npos) look(false);
}

void RankFiles::look(bool may_fail) {
  if (!std::exchange(looked_, true)) find("", 0, "", may_fail);
}

// Descends into the folders of the pattern, with the number for %r after the first part that contains it.
void RankFiles::find(const std::string& folder, std::size_t at, const std::string& number, bool may_fail) {
  if (at == parts_.size()) {
    std::error_code error;
    const std::string path = folder.substr(0, folder.size() - 1);
    if (std::filesystem::exists(path, error)) add(path, number);
    return;
  }
  const std::string& part = parts_[at];
  const bool has_star = part.find('*') != std::string::npos;
  const bool has_new_rank = number.empty() && names_rank(part);
  if (!has_star && !has_new_rank) return find(folder + with_rank(part, number) + '/', at + 1, number, may_fail);
  std::error_code error;
  std::vector<std::string> names;
  const std::string here = folder.empty() ? "." : folder;
  for (std::filesystem::directory_iterator entry(here, error), end; !error && entry != end; entry.increment(error))
    names.push_back(entry->path().filename().string());
  const bool is_none = error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
  if (error && !is_none && !may_fail) throw system_error(here, error.value());
  std::ranges::sort(names);
  for (const std::string& name : names) {
    if (part[0] == '*' && name[0] == '.') continue;  // as in shells
    if (!has_new_rank) {
      if (matches(name, part, number)) find(folder + name + '/', at + 1, number, true);
      continue;
    }
    std::vector<std::string> ranks;
    for (const std::string& n : numbers_of(name)) {
      if (matches(name, part, n)) ranks.push_back(n);
    }
    // In host-1.json, where * matches the rest, the '-' of "-1" is text.
    std::erase_if(ranks, [&](const std::string& n) {
      return (n[0] == '-' || n[0] == '+') && std::ranges::find(ranks, n.substr(1)) != ranks.end();
    });
    if (ranks.size() > 1) {
      throw usage_error("'" + pattern_ + "': the rank in " + folder + name + " is ambiguous: " + ranks[0] + " or " +
                        ranks[1] + "; add more of the name next to %r");
    }
    if (!ranks.empty()) find(folder + name + '/', at + 1, ranks[0], may_fail || has_star);
  }
}

void RankFiles::add(const std::string& path, std::string_view number) {
  std::string_view rest = number;
  const auto rank = take_leading_rank(rest);
  if (!rank || !rest.empty()) return near_.add(path);
  if (std::vector<std::string>& files = files_[*rank]; files.size() < 2) files.push_back(path);
}

std::string RankFiles::of(Rank rank) const {
  if (!has_rank_) return pattern_;
  const auto found = files_.find(rank);
  if (found == files_.end()) return with_rank(pattern_, std::to_string(rank));
  const std::vector<std::string>& files = found->second;
  if (files.size() == 1) return files[0];
  throw usage_error("'" + pattern_ + "' matches two files of rank " + std::to_string(rank) + ": " + files[0] +
                    " and " + files[1]);
}

std::vector<Rank> RankFiles::ranks(NearRanks& near) {
  look(false);
  near = near_;
  const std::string near_text = near_.count == 0 ? "" : "; " + near_.text(most_listed_ranks - 1);
  if (files_.empty()) throw usage_error("no file matches '" + pattern_ + "' (%r: a rank from 0)" + near_text);
  std::vector<Rank> ranks;
  for (const auto& [rank, files] : files_) {
    if (rank != ranks.size()) {
      throw usage_error(of(static_cast<Rank>(ranks.size())) + " is missing; there are files up to rank " +
                        std::to_string(files_.rbegin()->first) +
                        "; to link only some ranks, list them with --ranks" + near_text);
    }
    ranks.push_back(rank);
  }
  return ranks;
}

std::vector<Rank> RankFiles::others(const std::vector<Rank>& ranks) {
  look(true);
  std::vector<Rank> others;
  for (const auto& [rank, files] : files_) {
    if (!std::ranges::binary_search(ranks, rank)) others.push_back(rank);
  }
  return others;
}

}  // namespace convert
