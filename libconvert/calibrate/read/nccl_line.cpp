// SPDX-License-Identifier: MIT
#include "calibrate/read/nccl_line.h"

#include <algorithm>

#include "core/element_type.h"
#include "core/units.h"

namespace convert {
namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit_of_log(char c) { return c >= '0' && c <= '9'; }
bool is_letter_of_log(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_number_of_log(std::string_view word) { return !word.empty() && std::ranges::all_of(word, is_digit_of_log); }

// Words of a line, one by one.
class LogWords {
 public:
  explicit LogWords(std::string_view line) : rest_(line) {}
  // Returns the next word; empty at the end of the line.
  std::string_view next() {
    skip();
    std::size_t n = 0;
    while (n < rest_.size() && !is_blank(rest_[n])) ++n;
    const std::string_view word = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return word;
  }
  // Returns the text after the last word.
  std::string_view rest() {
    skip();
    return rest_;
  }

 private:
  void skip() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::size_t most = 64;  // a row has 25
  std::vector<std::string_view> words;
  LogWords in(line);
  for (std::string_view word = in.next(); !word.empty() && words.size() < most; word = in.next())
    words.push_back(word);
  return words;
}

bool is_type(std::string_view word) {
  return element_type(word).has_value() || word.starts_with("f8") || word.starts_with("fp8");
}

// Returns the number at the end of a word that may begin with a tag: [1,0]<stdout>:17179869184.
std::string_view without_tag(std::string_view word) {
  return word.substr(word.find_last_of(":]>") + 1);  // npos + 1 is 0
}

// Returns the position of the size among the words of a row.
std::optional<std::size_t> size_of_row(const std::vector<std::string_view>& words) {
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    if (is_number_of_log(words[i + 1]) && is_number_of_log(without_tag(words[i])) && is_type(words[i + 2]))
      return i;
  }
  return std::nullopt;
}

}  // namespace

std::string_view without_colours(std::string_view line, std::string& scratch) {
  constexpr char escape = '\x1b';
  if (line.find(escape) == std::string_view::npos) return line;
  scratch.clear();
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != escape) {
      scratch += line[i];
    } else if (i + 1 < line.size() && line[i + 1] == '[') {
      i += 2;
      while (i < line.size() && !is_letter_of_log(line[i])) ++i;
    }
  }
  return scratch;
}

std::optional<NcclLogDevice> nccl_device(std::string_view line) {
  constexpr std::string_view begin = "Rank ";
  const std::size_t at = line.find(begin);
  if (at == std::string_view::npos || (at > 0 && is_letter_of_log(line[at - 1]))) return std::nullopt;
  LogWords words(line.substr(at + begin.size()));
  NcclLogDevice device;
  device.rank = words.next();
  std::string_view word = words.next();
  for (const auto& [name, value] : {std::pair("Group", &device.group), std::pair("Pid", &device.pid)}) {
    if (word != name) continue;
    *value = words.next();
    word = words.next();
  }
  if (word != "on" || !is_number_of_log(device.rank)) return std::nullopt;
  device.host = words.next();
  if (words.next() != "device") return std::nullopt;
  (void)words.next();
  const std::string_view rest = words.rest();
  const std::size_t end_of_bus = rest.find(']');
  if (!rest.starts_with('[') || end_of_bus == std::string_view::npos) return std::nullopt;
  device.gpu = LogWords(rest.substr(end_of_bus + 1)).rest();
  while (!device.gpu.empty() && is_blank(device.gpu.back())) device.gpu.remove_suffix(1);
  return device;
}

std::optional<NcclLogColumns> nccl_columns(std::string_view line) {
  if (line.find("algbw") == std::string_view::npos) return std::nullopt;
  const std::vector<std::string_view> words = words_of(line);
  // Up to 2018: bytes, N, type, op, and times in milliseconds.
  const bool is_old = std::ranges::find(words, "bytes") != words.end();
  const auto is_time = [](std::string_view word) { return word == "time" || word == "cputime"; };
  const auto type = std::ranges::find(words, "type");
  const auto first = std::find_if(type, words.end(), is_time);
  if (first == words.end() || type - words.begin() < 2) return std::nullopt;
  const auto second = std::find_if(first + 1, words.end(), is_time);
  NcclLogColumns columns;
  columns.has_redop = std::find(type, first, is_old ? "op" : "redop") != first;
  columns.has_root = std::find(type, first, "root") != first;
  columns.halves = second == words.end() ? 1 : 2;
  columns.width = static_cast<std::size_t>(second - first);
  if (columns.width < 3) return std::nullopt;
  for (const auto& [name, position] : {std::pair("#wrong", &columns.wrong), std::pair("error", &columns.error)}) {
    const auto found = std::find(first, second, name);
    if (found != second) *position = static_cast<std::size_t>(found - first);
  }
  if (is_old) columns.unit_ns = 1e6;
  return columns;
}

bool is_nccl_row(std::string_view line) { return size_of_row(words_of(line)).has_value(); }

std::optional<NcclLogRow> nccl_row(std::string_view line, const NcclLogColumns& columns) {
  const std::vector<std::string_view> words = words_of(line);
  const std::optional<std::size_t> size = size_of_row(words);
  if (!size) return std::nullopt;
  NcclLogRow row{.bytes = without_tag(words[*size])};
  std::size_t at = *size + 3;
  // alltoall_perf of 2021 has the column redop, but its rows do not.
  if (columns.has_redop && at < words.size() && !parse_number(words[at])) ++at;
  if (columns.has_root && at < words.size() && parse_int(words[at])) ++at;
  for (std::size_t half = 0; half < columns.halves && at + columns.width <= words.size(); ++half) {
    const auto word = [&](std::optional<std::size_t> position) {
      return position ? words[at + *position] : std::string_view();
    };
    row.halves.push_back({.time = words[at],
                          .algbw = words[at + 1],
                          .busbw = words[at + 2],
                          .wrong = word(columns.wrong),
                          .error = word(columns.error)});
    at += columns.width;
  }
  return row;
}

std::optional<std::string_view> nccl_program(std::string_view line) {
  constexpr std::string_view suffix = "_perf", mpi = "_mpi";
  constexpr std::size_t longest = 64;  // name
  const auto is_part = [](char c) { return is_letter_of_log(c) || is_digit_of_log(c) || c == '_'; };
  std::optional<std::string_view> found;
  for (std::size_t at = line.find(suffix); at != std::string_view::npos; at = line.find(suffix, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && at - begin < longest && is_part(line[begin - 1])) --begin;
    std::size_t end = at + suffix.size();
    if (line.substr(end).starts_with(mpi)) end += mpi.size();
    const bool ends = end == line.size() || !is_part(line[end]);
    if (begin < at && ends) found = line.substr(begin, end - begin);
  }
  return found;
}

}  // namespace convert
