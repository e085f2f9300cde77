// SPDX-License-Identifier: MIT
// tar archives as streams, both ways; reading insists on the two zero blocks that end an archive.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "io/input.h"
#include "io/output.h"

namespace convert {

inline constexpr std::size_t tar_block_bytes = 512;
// True if the first bytes of a stream are a tar header; of one that was cut (< 512) the magic alone tells.
[[nodiscard]] bool looks_like_tar(std::string_view head);

// Members of a tar, in order. A cut member, damaged header or missing end is Error(input) with an offset; so are a
// name that is absolute or has "..", and a link in place of a rank's file. Other members that are no regular files
// are passed over. A member may be compressed.
class TarReader {
 public:
  explicit TarReader(Input& input);
  ~TarReader();
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;

  // The next regular member as a stream named "ARCHIVE(MEMBER)", valid until the next call; null at the end.
  [[nodiscard]] Input* next();
  // Name of the current member as it stands in the archive.
  [[nodiscard]] const std::string& member_name() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Writes ustar (pax only for members over 8 GiB or very long names): mtime 0, uid 0, mode 0644, so equal members
// give equal bytes.
class TarWriter {
 public:
  explicit TarWriter(Output& output);
  ~TarWriter();
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;

  void add(const std::string& name, std::string_view bytes);
  // Writes the two end blocks, no more. The Output stays open.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
