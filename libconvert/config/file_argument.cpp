// SPDX-License-Identifier: MIT
#include "config/file_argument.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/diagnostic.h"
#include "core/units.h"
#include "core/words.h"

namespace convert {
namespace {

// Returns whether a piece is an option, "hosts=4"; a key consists of letters, digits, '-' and '_'.
bool is_file_option(std::string_view piece) {
  const std::size_t equals = piece.find('=');
  const auto in_key = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return equals != std::string_view::npos && equals != 0 && std::ranges::all_of(piece.substr(0, equals), in_key);
}

Error option_error(const FileArgument& file, const std::string& why) {
  return usage_error(file.label + " '" + file.path + "': " + why);
}

}  // namespace

std::optional<std::string> FileArgument::get(std::string_view key) const {
  std::optional<std::string> found;
  for (const auto& [k, value] : options) {
    if (k != key) continue;
    if (found) throw option_error(*this, std::string(key) + " is repeated");
    found = value;
  }
  return found;
}

std::int64_t FileArgument::whole(std::string_view key, std::int64_t low, std::int64_t high,
                                 std::int64_t otherwise) const {
  const std::optional<std::string> text = get(key);
  if (!text) return otherwise;
  const std::optional<std::int64_t> n = parse_int(*text);
  if (n && *n >= low && *n <= high) return *n;
  throw option_error(*this, std::string(key) + " requires a whole number from " + std::to_string(low) + " to " +
                                std::to_string(high) + ", not '" + *text + "'");
}

std::size_t FileArgument::choice(std::string_view key, const std::vector<std::string>& names) const {
  const std::optional<std::string> text = get(key);
  const auto found = text ? std::ranges::find(names, *text) : names.begin();
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw option_error(*this, std::string(key) + " must be one of " + join(names) + ", not '" + *text + "'" +
                                did_you_mean(*text, names));
}

void FileArgument::check_keys(const std::vector<std::string>& known, std::string_view noun) const {
  for (const auto& [key, value] : options) {
    if (std::ranges::find(known, key) != known.end()) continue;
    const std::string taken = known.empty() ? "; " + std::string(noun) + " has no options" : hint_for(key, known);
    throw option_error(*this, "unknown key '" + key + "'" + taken);
  }
}

FileArgument split_file_argument(const std::string& text) {
  FileArgument file{.path = text};
  std::error_code error;  // set if the name is invalid
  if (std::filesystem::exists(text, error)) return file;
  std::size_t comma = text.find(',');
  const auto piece_behind = [&text](std::size_t at) {
    return std::string_view(text).substr(at + 1, text.find(',', at + 1) - at - 1);
  };
  while (comma != std::string::npos && !is_file_option(piece_behind(comma))) comma = text.find(',', comma + 1);
  if (comma == std::string::npos || comma == 0) return file;
  file.path = text.substr(0, comma);
  for (const std::string& piece : split(std::string_view(text).substr(comma + 1), ',')) {
    const std::size_t equals = piece.find('=');
    if (is_file_option(piece)) {
      file.options.emplace_back(piece.substr(0, equals), piece.substr(equals + 1));
    } else {
      file.options.back().second += "," + piece;
    }
  }
  return file;
}

}  // namespace convert
