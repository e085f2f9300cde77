// SPDX-License-Identifier: MIT
#include "io/replace/journal.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <random>

#include "core/diagnostic.h"
#include "core/units.h"
#include "io/set_name.h"
#include "io/set_path.h"

namespace convert {
namespace {

constexpr std::string_view letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view marker = ".etkit-";
constexpr std::size_t token_letters = 6;
constexpr std::size_t max_stem_bytes = 200;  // of 255, so that there is room for the rest
constexpr std::string_view journal_suffix = ".etkit-replace";
constexpr std::string_view first_line =
    "etkit-replace 2: files that are being replaced together; any etkit tool that is run on them finishes it\n";
constexpr std::string_view last_line = "end\n";

std::string stem_of(std::string_view name) { return std::string(name.substr(0, max_stem_bytes)); }

std::string temporary_with(const std::string& target, std::string_view token) {
  return directory_of(target) + "/." + stem_of(file_name_part(target)) + std::string(marker) + std::string(token);
}

// Returns a name, escaped for the end of a line.
std::string escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '%' || c == '\n') {
      out += c == '%' ? "%25" : "%0A";
    } else {
      out += c;
    }
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const bool percent = text.starts_with("%25");
    const bool newline = text.starts_with("%0A");
    out += percent ? '%' : newline ? '\n' : text[0];
    text.remove_prefix(percent || newline ? 3 : 1);
  }
  return out;
}

std::string_view take(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

bool is_token(std::string_view text) {
  return text.size() == token_letters && text.find_first_not_of(letters) == std::string_view::npos;
}

// Returns whether the file may be removed: only a file that can be left over from a larger set of that name.
bool is_of_set(const std::string& journal, const std::string& name) {
  std::string set = name.ends_with(groups_suffix) ? name.substr(0, name.size() - groups_suffix.size()) : "";
  if (const std::optional<SetMember> member = set_member(name)) set = member->set;
  if (numbered_rank(name)) {  // the journal is named after another file of the folder
    std::string_view lead = file_name_part(journal).substr(1);
    lead.remove_suffix(std::min(lead.size(), journal_suffix.size()));
    return numbered_rank(lead).has_value();
  }
  return !set.empty() && file_name_part(journal) == "." + stem_of(set) + std::string(journal_suffix);
}

// Returns whether it is a file name, or the absolute path of a file without "..".
bool is_plain_path(const std::string& name) {
  if (file_name_part(name).empty() || file_name_part(name) == "." || file_name_part(name) == "..") return false;
  return name.find('/') == std::string::npos || (name[0] == '/' && name.find("/../") == std::string::npos);
}

// Removes "SIZE MTIME " from the beginning of the line.
std::optional<FileStamp> take_stamp(std::string_view& line) {
  const auto size = parse_int(take(line, ' '));
  const auto mtime = parse_int(take(line, ' '));
  if (!size || !mtime) return std::nullopt;
  return FileStamp{*size, *mtime};
}

std::string text_of(const FileStamp& stamp) {
  return std::to_string(stamp.size_bytes) + ' ' + std::to_string(stamp.mtime_ns) + ' ';
}

// Parses "replace TOKEN SIZE MTIME OLD-SIZE OLD-MTIME NAME" or "remove TOKEN OLD-SIZE OLD-MTIME NAME".
std::optional<FileChange> parse_line(const std::string& journal, std::string_view line) {
  FileChange change;
  const std::string_view word = take(line, ' ');
  const std::string_view token = take(line, ' ');
  change.is_removal = word == "remove";
  if ((!change.is_removal && word != "replace") || !is_token(token)) return std::nullopt;
  for (FileStamp* const stamp : {&change.fresh, &change.old}) {
    if (change.is_removal && stamp == &change.fresh) continue;
    const auto told = take_stamp(line);
    if (!told) return std::nullopt;
    *stamp = *told;
  }
  const std::string name = unescaped(line);
  if (!is_plain_path(name)) return std::nullopt;
  const bool is_beside = name.find('/') == std::string::npos;
  if (change.is_removal && !(is_beside && is_of_set(journal, name))) return std::nullopt;
  change.target = is_beside ? directory_of(journal) + "/" + name : name;
  change.temporary = temporary_with(change.target, token);
  change.backup = backup_name(change.temporary);
  return change;
}

}  // namespace

FileStamp stamp_of(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return {};
  return {status.st_size, status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec};
}

std::string temporary_name(const std::string& target) {
  std::random_device random;
  std::uniform_int_distribution<std::size_t> letter(0, letters.size() - 1);
  std::string token;
  while (token.size() < token_letters) token += letters[letter(random)];
  return temporary_with(target, token);
}

std::string backup_name(const std::string& temporary) { return temporary + ".old"; }

std::string journal_path(const std::string& path) {
  const std::string name(file_name_part(path));
  const std::optional<SetMember> member = set_member(name);
  return directory_of(path) + "/." + stem_of(member ? member->set : name) + std::string(journal_suffix);
}

bool is_journal_name(std::string_view name) { return name.starts_with('.') && name.ends_with(journal_suffix); }

std::string journal_text(const std::string& journal, std::uint64_t inode, const std::vector<FileChange>& changes) {
  std::string text = std::string(first_line) + "inode " + std::to_string(inode) + '\n';
  const std::string directory = directory_of(journal);
  for (const FileChange& c : changes) {
    const std::string token = c.temporary.substr(c.temporary.size() - token_letters);
    text += (c.is_removal ? "remove " : "replace ") + token + ' ';
    if (!c.is_removal) text += text_of(c.fresh);
    text += text_of(c.old);
    const bool is_beside = directory_of(c.target) == directory;
    text += escaped(is_beside ? file_name_part(c.target) : std::string_view(c.target)) + '\n';
  }
  return text.append(last_line);
}

Journal parse_journal(const std::string& journal, std::string_view text) {
  Journal read;
  bool is_ours = text.starts_with(first_line) && text.ends_with(last_line);
  if (is_ours) {
    text.remove_prefix(first_line.size());
    text.remove_suffix(last_line.size());
    const bool has_inode = take(text, ' ') == "inode";
    const auto inode = parse_unsigned(take(text, '\n'));
    is_ours = has_inode && inode;
    read.inode = inode.value_or(0);
  }
  while (is_ours && !text.empty()) {
    std::optional<FileChange> change = parse_line(journal, take(text, '\n'));
    is_ours = change.has_value();
    if (change) read.changes.push_back(std::move(*change));
  }
  if (is_ours) return read;
  throw input_error({.file = journal},
                    "is not a journal of replaced files; check the files beside it, and remove it");
}

}  // namespace convert
