// SPDX-License-Identifier: MIT
// Reads and writes tar archives as streams. A tar without its two zero blocks at the end is an error.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "io/input.h"
#include "io/output.h"

namespace convert {

inline constexpr std::size_t tar_block_bytes = 512;
// Returns whether the first bytes of a stream are a tar header. With fewer than 512 bytes, only the magic is
// checked.
[[nodiscard]] bool looks_like_tar(std::string_view head);

// Reads the members of a tar in order; `input` must outlive it. Throws Error(input) with an offset for a truncated
// member, a damaged header, a missing end, a name that is absolute or has "..", a link instead of a rank's file,
// sparse members and unknown kinds. Skips other members that are not regular files. A member may be compressed.
class TarReader {
 public:
  explicit TarReader(Input& input);
  ~TarReader();
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;

  // Returns the next regular member, a stream named "ARCHIVE(MEMBER)", valid until the next call; null at the end.
  [[nodiscard]] Input* next();
  // Returns the name of the current member, as written in the archive.
  [[nodiscard]] const std::string& member_name() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Writes a tar to `output`, which must outlive it. The format is ustar, with pax headers only for members over 8
// GiB or very long names. Equal members give equal bytes, since mtime and uid are 0 and the mode is 0644.
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
