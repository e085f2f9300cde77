// SPDX-License-Identifier: MIT
// Reads and writes tar archives as streams; a tar without its two zero blocks at the end is an error.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "io/input.h"
#include "io/output.h"

namespace convert {

inline constexpr std::size_t tar_block_bytes = 512;
// Returns whether the first bytes of a stream are a tar header; of fewer than 512 bytes the magic alone tells.
[[nodiscard]] bool looks_like_tar(std::string_view head);

// Reads the members of a tar in order; `input` must outlive it. Throws Error(input) with an offset at a cut member,
// a damaged header, a missing end, a name that is absolute or has "..", a link in place of a rank's file, and
// sparse members and unknown kinds. Skips other members that are no regular files. A member may be compressed.
class TarReader {
 public:
  explicit TarReader(Input& input);
  ~TarReader();
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;

  // Returns the next regular member, a stream named "ARCHIVE(MEMBER)", valid until the next call; null at the end.
  [[nodiscard]] Input* next();
  // Returns the name of the current member as it stands in the archive.
  [[nodiscard]] const std::string& member_name() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Writes a tar to `output`, which must outlive it: ustar (pax only for members over 8 GiB or very long names) with
// mtime 0, uid 0, mode 0644, so that equal members give equal bytes.
class TarWriter {
 public:
  explicit TarWriter(Output& output);
  ~TarWriter();
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;

  void add(const std::string& name, std::string_view bytes);
  // Writes the two blocks that end an archive. The Output stays open.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
