// SPDX-License-Identifier: MIT
// Nodes of a rank as bytes of a Chakra file; compares other ranks with them without decoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/master/rank_changes.h"
#include "core/trace.h"

namespace convert {

class EncodedNodes {
 public:
  explicit EncodedNodes(const NodeTable& table);

  [[nodiscard]] std::size_t nodes() const { return ends_.size(); }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

  // Returns whether these bytes, at `offset` of a file, contain the same nodes except for peers, tags and groups.
  // Puts the differing values into `to` as views of the bytes. Adds the number of nodes compared to `compared`.
  // Damaged bytes are different.
  [[nodiscard]] bool compare(std::string_view bytes, std::uint64_t offset, RankChanges& to,
                             std::size_t& compared) const;

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;  // by node
};

}  // namespace convert
