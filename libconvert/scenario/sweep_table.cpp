// SPDX-License-Identifier: MIT
#include "scenario/sweep_table.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <unordered_map>
#include <utility>

#include "core/diagnostic.h"
#include "io/output.h"
#include "io/set_path.h"
#include "simulate/report/values.h"
#include "util/text_table.h"

namespace convert {
namespace {

constexpr const char* advice = "; name another file, or start again with --restart";

bool same_file(int file, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

}  // namespace

std::string csv_cell(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return csv_field(line);
}

std::optional<std::vector<std::string>> parse_csv_line(std::string_view line) {
  std::vector<std::string> cells;
  std::size_t i = 0;
  for (bool more = true; more;) {
    std::string cell;
    if (i < line.size() && line[i] == '"') {
      for (++i;; ++i) {
        if (i == line.size()) return std::nullopt;
        if (line[i] == '"' && (++i == line.size() || line[i] != '"')) break;
        cell += line[i];
      }
      if (i < line.size() && line[i] != ',') return std::nullopt;
    } else {
      const std::size_t end = std::min(line.find(',', i), line.size());
      cell = line.substr(i, end - i);
      i = end;
    }
    cells.push_back(std::move(cell));
    more = i++ < line.size();
  }
  return cells;
}

SweepTable::SweepTable(std::optional<std::string> path, std::vector<std::string> columns,
                       std::vector<std::string> ids, bool force)
    : path_(std::move(path)), columns_(std::move(columns)), ids_(std::move(ids)), cells_(ids_.size()) {
  if (path_ && compression_of(*path_) != Compression::none)
    throw usage_error(*path_ + ": the table of a sweep grows line by line and cannot be compressed");
  if (path_ && !is_stream_path(*path_)) open(force);
}

SweepTable::File::~File() {
  if (descriptor >= 0) ::close(descriptor);
}

void SweepTable::open(bool force) {
  constexpr mode_t mode = 0666;
  file_.descriptor = ::open(path_->c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, mode);
  if (file_.descriptor < 0) throw system_error(errno == ENOENT ? directory_of(*path_) : *path_, errno);
  if (::flock(file_.descriptor, LOCK_EX | LOCK_NB) != 0 || !same_file(file_.descriptor, *path_))
    throw usage_error(*path_ + ": another sweep is writing this table; name another file");
  std::size_t good = 0;
  if (!force) {
    take_up(contents(), good);
  }
  if (::ftruncate(file_.descriptor, static_cast<off_t>(good)) != 0) throw system_error(*path_, errno);
  if (good == 0) write("run" + line({}));
}

// Returns the rows of an earlier sweep. The file is this table, not an input.
std::string SweepTable::contents() const {
  std::string text;
  std::array<char, 1 << 16> buffer{};
  for (;;) {
    const ssize_t n = ::read(file_.descriptor, buffer.data(), buffer.size());
    if (n == 0) return text;
    if (n < 0 && errno != EINTR) throw system_error(*path_, errno);
    text.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  }
}

// Sets `good` to the number of bytes in whole lines.
void SweepTable::take_up(std::string_view text, std::size_t& good) {
  std::unordered_map<std::string_view, std::size_t> runs;
  for (std::size_t run = 0; run < ids_.size(); ++run) runs.emplace(ids_[run], run);
  const std::string header = "run" + line({});
  if (text.find('\n') == std::string_view::npos) {
    if (header.starts_with(text)) return;  // cut off in its first line
    throw input_error({.file = *path_}, "not the table of this sweep" + std::string(advice), "sweep");
  }
  std::uint32_t number = 0;
  for (std::size_t end = 0; (end = text.find('\n', good)) != std::string_view::npos; good = end + 1) {
    ++number;
    const auto cells = parse_csv_line(text.substr(good, end - good));
    if (number == 1) {
      std::vector<std::string> wanted = columns_;
      wanted.insert(wanted.begin(), "run");
      if (cells && cells->size() == wanted.size() + 1) wanted.push_back(cells->back());  // of add_column()
      if (cells == wanted) continue;
      throw input_error({.file = *path_, .line = 1},
                        "the table of another sweep, with other columns" + std::string(advice), "sweep");
    }
    const auto run = cells && cells->size() > columns_.size() ? runs.find(cells->front()) : runs.end();
    if (run == runs.end() || cells->size() > columns_.size() + 2) {
      throw input_error({.file = *path_, .line = number},
                        "a row of another sweep: settings, files or traces differ" + std::string(advice), "sweep");
    }
    if (cells_[run->second].empty()) ++taken_up_;
    cells_[run->second].assign(cells->begin() + 1,
                               cells->begin() + 1 + static_cast<std::ptrdiff_t>(columns_.size()));
  }
}

// Returns a row after its ID; of the header if there are no cells.
std::string SweepTable::line(const std::vector<std::string>& cells) const {
  std::string text;
  for (const std::string& cell : cells.empty() ? columns_ : cells) text += ',' + csv_cell(cell);
  return text + '\n';
}

void SweepTable::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_.descriptor, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      throw system_error(*path_, errno);
    }
  }
}

void SweepTable::put(std::size_t run, std::vector<std::string> cells) {
  if (file_.descriptor >= 0) write(ids_[run] + line(cells));
  cells_[run] = std::move(cells);
}

void SweepTable::add_column(const std::string& name, const std::vector<std::string>& cells) {
  columns_.push_back(name);
  for (std::size_t run = 0; run < cells_.size(); ++run) cells_[run].push_back(cells[run]);
}

void SweepTable::finish() {
  std::string text = "run" + line({});
  for (std::size_t run = 0; run < ids_.size(); ++run) text += ids_[run] + line(cells_[run]);
  if (!path_) {
    const auto output = open_stdout();
    output->write(text);
    output->close();
    return;
  }
  OutputFiles files;
  const auto output = files.create(*path_);
  output->write(text);
  output->close();
  files.commit();
}

}  // namespace convert
