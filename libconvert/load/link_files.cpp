// SPDX-License-Identifier: MIT
#include "load/link_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <regex>
#include <string_view>

#include "core/diagnostic.h"

namespace convert {
namespace {

// A rank without leading zeros at the beginning of `text`; moves behind it.
std::optional<Rank> take_rank(std::string_view& text) {
  Rank rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc() || (text[0] == '0' && end != text.data() + 1) || rank >= most_linked_ranks)
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return rank;
}

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

// Matches the names that a part of the pattern stands for. A number that is nearly a rank ("07", "-1") matches too;
// no part of a number is one. `number`: of the rank, if a part before this one has named it.
std::regex name_regex(const std::string& part, std::string_view number) {
  std::string out;
  const auto add_text = [&](std::string_view text) {
    for (const char c : text) {
      if (std::string_view(R"(^$\.+?()[]{}|)").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  };
  bool named = false;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const std::string_view rest = std::string_view(part).substr(i);
    if (rest.starts_with("%r")) {
      if (number.empty()) out += named ? R"(\1)" : "([-+]?[0-9]+)";
      add_text(number);
      out += "(?![0-9])";
      named = true;
      ++i;
    } else if (rest.starts_with("*")) {
      out += rest.starts_with("*%r") ? "(?:.*[^0-9])?" : ".*";
    } else {
      if (rest.starts_with("%%")) ++i;
      add_text(rest.substr(0, 1));
    }
  }
  return std::regex(out);
}

}  // namespace

RankFiles::RankFiles(std::string pattern) : pattern_(std::move(pattern)), has_rank_(names_rank(pattern_)) {
  if (!has_rank_) return;
  for (std::size_t begin = 0; begin <= pattern_.size();) {
    const std::size_t end = std::min(pattern_.find('/', begin), pattern_.size());
    parts_.push_back(pattern_.substr(begin, end - begin));
    begin = end + 1;
  }
  find("", 0, "");
}

// Goes down the folders that the pattern names, with what stands for %r once a part has it.
void RankFiles::find(const std::string& folder, std::size_t at, std::string_view number) {
  if (at == parts_.size()) {
    std::error_code error;
    const std::string path = folder.substr(0, folder.size() - 1);
    if (std::filesystem::exists(path, error)) add(path, number);
    return;
  }
  const std::string& part = parts_[at];
  const bool has_star = part.find('*') != std::string::npos;
  if (!has_star && (!number.empty() || !names_rank(part)))
    return find(folder + with_rank(part, number) + '/', at + 1, number);
  const std::regex regex = name_regex(part, number);
  std::error_code error;
  std::vector<std::string> names;
  const std::string here = folder.empty() ? "." : folder;
  for (std::filesystem::directory_iterator entry(here, error), end; !error && entry != end; entry.increment(error))
    names.push_back(entry->path().filename().string());
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    throw system_error(here, error.value());
  std::ranges::sort(names);
  for (const std::string& name : names) {
    std::smatch match;
    if (!std::regex_match(name, match, regex)) continue;
    find(folder + name + '/', at + 1, match.size() > 1 ? match.str(1) : std::string(number));
  }
}

void RankFiles::add(const std::string& path, std::string_view number) {
  std::string_view rest = number;
  const auto rank = take_rank(rest);
  if (!rank || !rest.empty()) return near_.add(path);
  const auto [known, added] = files_.emplace(*rank, path);
  if (!added) {
    throw usage_error("'" + pattern_ + "' names two files of rank " + std::to_string(*rank) + ": " + known->second +
                      " and " + path);
  }
}

std::string RankFiles::of(Rank rank) const {
  const auto file = files_.find(rank);
  return file != files_.end() ? file->second : has_rank_ ? with_rank(pattern_, std::to_string(rank)) : pattern_;
}

std::vector<Rank> RankFiles::ranks() const {
  const std::string near_text = near_.count == 0 ? "" : "; " + near_.text(most_linked_ranks - 1);
  if (files_.empty())
    throw usage_error("no file is named as '" + pattern_ + "' says (%r: a rank from 0)" + near_text);
  std::vector<Rank> ranks;
  for (const auto& [rank, file] : files_) {
    if (rank != ranks.size()) {
      throw usage_error(of(static_cast<Rank>(ranks.size())) + " is missing; there are files up to rank " +
                        std::to_string(files_.rbegin()->first) +
                        "; to link some ranks only, name them with --ranks" + near_text);
    }
    ranks.push_back(rank);
  }
  return ranks;
}

std::vector<Rank> RankFiles::others(const std::vector<Rank>& than) const {
  std::vector<Rank> ranks;
  for (const auto& [rank, file] : files_) {
    if (!std::ranges::binary_search(than, rank)) ranks.push_back(rank);
  }
  return ranks;
}

std::vector<Rank> parse_ranks(const std::string& list) {
  const auto bad = [&] { return usage_error("--ranks " + list + ": expected ranks such as 0-3,8"); };
  std::vector<Rank> ranks;
  std::string_view rest = list;
  do {
    if (!ranks.empty()) rest.remove_prefix(1);
    if (rest.empty()) throw bad();
    const auto first = take_rank(rest);
    auto last = first;
    if (first && rest.starts_with('-')) {
      rest.remove_prefix(1);
      if (rest.empty()) throw bad();
      last = take_rank(rest);
    }
    if (!first || !last || *last < *first || (!rest.empty() && rest[0] != ',')) throw bad();
    for (Rank r = *first; r <= *last; ++r) ranks.push_back(r);
  } while (!rest.empty());
  std::sort(ranks.begin(), ranks.end());
  if (std::adjacent_find(ranks.begin(), ranks.end()) != ranks.end()) {
    throw usage_error("--ranks " + list + ": a rank stands twice");
  }
  return ranks;
}

}  // namespace convert
