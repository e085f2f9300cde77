// SPDX-License-Identifier: MIT
// Many files take the place of others: all of them or none, whatever ends the process in between.
#pragma once

#include <string>
#include <vector>

#include "io/replace/journal.h"

namespace convert {

// What went wrong with which file; no path if nothing did.
struct ReplaceFailure {
  std::string path;
  int error = 0;
};

enum class ReplaceResult : std::uint8_t {
  done,
  undone,      // a change failed, and all others were taken back
  unfinished,  // they could not be: the journal stays, and with it the temporary files
};

// Makes the changes; the new files are complete and on the disk. `lead` is the
// path whose set or name gives the journal its name and place. The order is that of `changes`. Signals wait
// meanwhile.
[[nodiscard]] ReplaceResult replace_files(const std::string& lead, const std::vector<FileChange>& changes,
                                          ReplaceFailure& failure);

// If a process was killed while it replaced the set or file that `path` names: makes what is missing, or, where
// that fails, takes back what was done. Waits while that process still lives. Throws Error that says what to do if
// neither is possible. Costs one look for a file where there is nothing to do.
void finish_replacement(const std::string& path);
// The same for all sets in a directory.
void finish_replacements_in(const std::string& directory);

// The file's contents are on the disk then. 0 or the number of the error.
[[nodiscard]] int sync_file(int fd);

}  // namespace convert
