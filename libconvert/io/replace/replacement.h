// SPDX-License-Identifier: MIT
// Replaces many files together: all or none, even if the process is killed in between.
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
  undone,      // a change failed, and all others were reverted
  unfinished,  // reverting failed too: the journal and the temporary files stay
};

// Makes the changes in order, with signals deferred. The new files must be complete and on disk. The journal is at
// journal_path(`lead`). Sets `failure` to the first failed change unless all are done. Completes an earlier
// replacement first, see below. Throws Error(system) if the journal cannot be written.
[[nodiscard]] ReplaceResult replace_files(const std::string& lead, const std::vector<FileChange>& changes,
                                          ReplaceFailure& failure);

// Completes the replacement of the set or file `path` if a process was killed during it, or reverts it if that
// fails. Waits up to 60 s for a process that is replacing these files. Throws Error with the next step:
// Error(system) if that takes longer or a file cannot be changed, Error(input) if a file has changed since or the
// journal is not etkit's. Without a journal, it only checks whether one exists.
void finish_replacement(const std::string& path);
// Does the same for all journals in a directory. Does nothing if the directory cannot be read.
void finish_replacements_in(const std::string& directory);

// Writes the file's contents to disk. Returns 0 or errno.
[[nodiscard]] int sync_file(int fd);

}  // namespace convert
