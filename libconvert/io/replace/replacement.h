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

// Makes the changes in order, while signals wait; the new files must be complete and on the disk. The journal is
// that of `lead`, see journal_path(). Sets `failure` to the first that failed unless all are done. Finishes an
// earlier replacement first, see below. Throws Error(system) if the journal cannot be written.
[[nodiscard]] ReplaceResult replace_files(const std::string& lead, const std::vector<FileChange>& changes,
                                          ReplaceFailure& failure);

// Finishes the replacement of the set or file that `path` names if a process was killed in it, or takes it back if
// that fails. Waits up to 60 s for a process that is at it. Throws Error that says what to do: system if that takes
// longer or a file cannot be changed, input if a file has changed since or the journal is not etkit's. Where there
// is no journal it only looks for one.
void finish_replacement(const std::string& path);
// Does the same for all journals in a directory; for one that cannot be read, nothing.
void finish_replacements_in(const std::string& directory);

// Brings the file's contents to the disk. Returns 0 or errno.
[[nodiscard]] int sync_file(int fd);

}  // namespace convert
