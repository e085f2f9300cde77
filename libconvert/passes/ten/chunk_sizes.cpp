// SPDX-License-Identifier: MIT
#include "passes/ten/chunk_sizes.h"

#include <utility>

#include "core/rows.h"

namespace convert {
namespace {

// Returns the messages that carry each chunk.
Rows carriers_of_chunks(std::span<const CarriedChunks> messages, std::size_t chunks) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t m = 0; m < messages.size(); ++m) {
    for (const std::uint32_t c : messages[m].chunks) pairs.emplace_back(c, m);
  }
  Rows rows = rows_by_key(pairs.size(), chunks, [&](std::size_t i) { return pairs[i].first; });
  for (std::uint32_t& item : rows.items) item = pairs[item].second;
  return rows;
}

}  // namespace

void size_chunks(std::span<const CarriedChunks> messages, std::span<const std::uint64_t> parts,
                 std::vector<Schedule::Chunk>& chunks) {
  const Rows carriers = carriers_of_chunks(messages, chunks.size());
  std::vector<std::size_t> unknown(messages.size());  // by message: chunks without a size
  std::vector<std::uint32_t> open;                    // messages that determine a size now
  for (std::uint32_t m = 0; m < messages.size(); ++m) {
    unknown[m] = messages[m].chunks.size();
    if (unknown[m] == 1) open.push_back(m);
  }
  for (std::uint32_t next = 0;;) {
    if (open.empty()) {
      while (next < messages.size() && unknown[next] == 0) ++next;
      if (next == messages.size()) break;
      open.push_back(next);
    }
    const CarriedChunks& m = messages[open.back()];
    open.pop_back();
    std::int64_t rest = m.bytes;
    std::uint64_t sharers = 0;
    std::uint32_t chunk = no_index;
    for (const std::uint32_t c : m.chunks) {
      if (chunks[c].bytes) {
        rest -= *chunks[c].bytes;
      } else {
        if (chunk == no_index) chunk = c;
        sharers += parts[c];
      }
    }
    if (chunk == no_index) continue;
    chunks[chunk].bytes = rest / static_cast<std::int64_t>(sharers) * static_cast<std::int64_t>(parts[chunk]);
    if (sharers == parts[chunk]) chunks[chunk].bytes = rest;
    for (const std::uint32_t carrier : carriers[chunk]) {
      if (--unknown[carrier] == 1) open.push_back(carrier);
    }
  }
}

}  // namespace convert
