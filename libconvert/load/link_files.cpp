// SPDX-License-Identifier: MIT
#include "load/link_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

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

// "07" or "-1" at the beginning of `text`; empty if there is no number.
std::string_view number_at(std::string_view text) {
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", sign), text.size());
  return end == sign ? std::string_view() : text.substr(0, end);
}

std::string file_of(const std::string& pattern, std::string_view rank) {
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

struct Listed {
  std::vector<Rank> ranks;     // ascending
  std::set<std::string> near;  // files that are nearly ranks
  std::string folder;
  std::error_code error;  // why the folder cannot be listed, if it is there
};

// Looks at the folder that holds the first component with a rank.
Listed list_files(const std::string& pattern) {
  const std::string zero = file_of(pattern, "0"), one = file_of(pattern, "1");
  const auto differ =
      static_cast<std::size_t>(std::mismatch(zero.begin(), zero.end(), one.begin()).first - zero.begin());
  const std::size_t slash = zero.rfind('/', differ);
  Listed out;
  out.folder = slash == std::string::npos ? "." : zero.substr(0, slash + 1);
  const std::string before = zero.substr(slash == std::string::npos ? 0 : slash + 1,
                                         differ - (slash == std::string::npos ? 0 : slash + 1));
  for (std::filesystem::directory_iterator at(out.folder, out.error), end; !out.error && at != end;
       at.increment(out.error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(before)) continue;
    std::string_view rest = std::string_view(name).substr(before.size());
    const auto rank = take_rank(rest);
    std::error_code missing;
    if (rank) {
      if (std::filesystem::exists(file_of_rank(pattern, *rank), missing)) out.ranks.push_back(*rank);
    } else if (const std::string_view number = number_at(rest); !number.empty()) {
      const std::string file = file_of(pattern, number);
      if (std::filesystem::exists(file, missing)) out.near.insert(file);
    }
  }
  if (out.error == std::errc::no_such_file_or_directory) out.error.clear();
  std::sort(out.ranks.begin(), out.ranks.end());
  out.ranks.erase(std::unique(out.ranks.begin(), out.ranks.end()), out.ranks.end());
  return out;
}

}  // namespace

std::string file_of_rank(const std::string& pattern, Rank rank) { return file_of(pattern, std::to_string(rank)); }

bool has_rank(const std::string& pattern) { return file_of_rank(pattern, 0) != file_of_rank(pattern, 1); }

std::vector<Rank> ranks_with_file(const std::string& pattern) { return list_files(pattern).ranks; }

std::vector<Rank> find_ranks(const std::string& pattern, NearRanks& near) {
  Listed files = list_files(pattern);
  if (files.error) throw system_error(files.folder, files.error.value());
  std::vector<Rank>& ranks = files.ranks;
  for (const std::string& file : files.near) near.add(file);
  const std::string near_text = near.count == 0 ? "" : "; " + near.text(most_linked_ranks - 1);
  if (ranks.empty())
    throw usage_error("no file is named as '" + pattern + "' says (%r: a rank from 0)" + near_text);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] == i) continue;
    throw usage_error(file_of_rank(pattern, static_cast<Rank>(i)) + " is missing; there are files up to rank " +
                      std::to_string(ranks.back()) + "; to link some ranks only, name them with --ranks" +
                      near_text);
  }
  return std::move(ranks);
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
