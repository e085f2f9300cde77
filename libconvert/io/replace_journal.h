// SPDX-License-Identifier: MIT
// Files that are being replaced together, as the journal beside them says it: what a process that was killed in
// between has left for the next one to finish.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

// One file of the group: a new one under a temporary name takes the place of `target`, or `target` is removed.
// Paths are absolute; all three are in one directory.
struct FileChange {
  std::string target;
  std::string temporary;  // of a removal there is no such file: it only gives the backup its name
  std::string backup;     // the old file, as long as the change may still be undone
  bool is_removal = false;
  // Size and time of the new file, which tell it from the old one.
  std::int64_t size_bytes = 0;
  std::int64_t mtime_ns = 0;
};

[[nodiscard]] inline std::int64_t mtime_ns(const struct stat& status) {
  return status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
}

// A name beside `target` that nobody has, ".ring.0.et.etkit-A1b2C3", and that of the backup.
[[nodiscard]] std::string temporary_name(const std::string& target);
[[nodiscard]] std::string backup_name(const std::string& temporary);

// ".ring.etkit-replace" beside the set or file that `path` names ("out/ring", "out/ring.0.et").
[[nodiscard]] std::string journal_path(const std::string& path);
// Whether a name in a directory is that of a journal.
[[nodiscard]] bool is_journal_name(std::string_view name);

[[nodiscard]] std::string journal_text(const std::string& journal, const std::vector<FileChange>& changes);
// Throws Error(input) that names the journal if the text is none, or asks for more than journal_text() can: a
// temporary file of ours gets the name that it was made for, a file of the set of that name goes.
[[nodiscard]] std::vector<FileChange> parse_journal(const std::string& journal, std::string_view text);

}  // namespace convert
