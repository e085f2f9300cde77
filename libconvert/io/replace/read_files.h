// SPDX-License-Identifier: MIT
// Records the files that a process reads, so that no output replaces an input by mistake.
#pragma once

#include <cstdint>
#include <string>

struct stat;

namespace convert {

// Treatment of an output that is also an input: replaced, or refused. refused_by_default: the tool has an option,
// --in-place, to replace the input.
enum class ReadFiles : std::uint8_t { replaced, refused, refused_by_default };
// Sets the treatment; tools call it at the start, and again after parsing their options. By default inputs may be
// replaced, and are not recorded.
void protect_read_files(ReadFiles how);

// Records a regular file by its device and inode. Thread-safe.
void note_read_file(const struct stat& status);
// Does the same for the file at a path, if it exists.
void note_read_file(const std::string& path);

// Throws Error(usage) if the file that an output is about to replace under the name `path` is a protected input.
void refuse_read_file(const struct stat& status, const std::string& path);

}  // namespace convert
