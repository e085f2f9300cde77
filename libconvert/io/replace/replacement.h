// SPDX-License-Identifier: MIT
// Replaces many files together: all of them or none, whatever ends the process in between.
#pragma once

#include <string>
#include <vector>

#include "io/replace/journal.h"

namespace convert {

// The file that could not be replaced, and errno; an empty path if nothing failed.
struct ReplaceFailure {
  std::string path;
  int error = 0;
};

enum class ReplaceResult : std::uint8_t {
  done,
  undone,      // a change failed, and all others were taken back
  unfinished,  // taking back failed too: the journal stays, and with it the temporary files
};

// Makes the changes in order, while signals wait; the new files must be complete and on the disk. `lead` is the
// path whose set or name gives the journal its name and place.
[[nodiscard]] ReplaceResult replace_files(const std::string& lead, const std::vector<FileChange>& changes,
                                          ReplaceFailure& failure);

// Finishes the replacement of the set or file that `path` names, if a process was killed in it, or, where that
// fails, takes back what was done. Waits while that process still lives. Throws Error that says what to do if
// neither is possible. Where there is nothing to do it only looks for one file.
void finish_replacement(const std::string& path);
// Does the same for all sets in a directory.
void finish_replacements_in(const std::string& directory);

// Brings the file's contents to the disk. Returns 0 or errno.
[[nodiscard]] int sync_file(int fd);

}  // namespace convert
