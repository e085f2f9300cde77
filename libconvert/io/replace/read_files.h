// SPDX-License-Identifier: MIT
// Remembers which files a process reads, so that no output replaces one of them unasked.
#pragma once

#include <cstdint>
#include <string>

struct stat;

namespace convert {

// Says what becomes of an output that is a file which was read: it is replaced, or refused. refused_by_default: the
// tool has an option, --in-place, to replace it.
enum class ReadFiles : std::uint8_t { replaced, refused, refused_by_default };
// Tools call it, at the start and once their options are known. At first read files are replaced, and not
// remembered.
void protect_read_files(ReadFiles how);

// Remembers a regular file by its device and inode. Thread-safe.
void note_read_file(const struct stat& status);
// Does the same for the file at a path, if there is one.
void note_read_file(const std::string& path);

// Throws Error(usage) if the file, which is about to be replaced under the name `path`, was read and is not to be
// replaced.
void refuse_read_file(const struct stat& status, const std::string& path);

}  // namespace convert
