// SPDX-License-Identifier: MIT
// Journal of files that are replaced together, from which a later process can complete the replacement.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

// Size and time of a file, to distinguish it from other files and from its own earlier contents.
struct FileStamp {
  std::int64_t size_bytes = -1;  // -1: there is no such file
  std::int64_t mtime_ns = 0;

  bool operator==(const FileStamp&) const = default;
};

// Returns the stamp of a file, or of a symbolic link itself.
[[nodiscard]] FileStamp stamp_of(const std::string& path);

// One file of the group: a new file with a temporary name replaces `target`, or `target` is removed. Paths are
// absolute; all three are in one directory.
struct FileChange {
  std::string target;
  std::string temporary;  // name of the new file; for a removal, only the base of backup_name()
  std::string backup;     // the old file, as long as the change may be reverted
  bool is_removal = false;
  FileStamp fresh;  // of the new file; empty for a removal
  FileStamp old;    // of the existing file; empty if there was none
};

// Returns a new random name beside `target`, ".ring.0.et.etkit-A1b2C3".
[[nodiscard]] std::string temporary_name(const std::string& target);
[[nodiscard]] std::string backup_name(const std::string& temporary);

// Returns ".ring.etkit-replace" beside the set or file that `path` names ("out/ring", "out/ring.0.et").
[[nodiscard]] std::string journal_path(const std::string& path);
// Returns whether a file name is the name of a journal.
[[nodiscard]] bool is_journal_name(std::string_view name);

// Contents of a journal. If `inode` is not the journal's own, it is a copy, and its files have other times.
struct Journal {
  std::uint64_t inode = 0;
  std::vector<FileChange> changes;
};

// Returns the text of a journal at the path `journal`.
[[nodiscard]] std::string journal_text(const std::string& journal, std::uint64_t inode,
                                       const std::vector<FileChange>& changes);
// Parses a journal's text. Throws Error(input) with the journal if it is malformed or contains changes that
// journal_text() never writes: it may rename only etkit's temporary files, and remove only files of the set.
[[nodiscard]] Journal parse_journal(const std::string& journal, std::string_view text);

}  // namespace convert
