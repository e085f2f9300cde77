// SPDX-License-Identifier: MIT
// Reader of a PARAM communications trace: entries as written in the file.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "formats/param/operations.h"
#include "io/input.h"

namespace convert {

// Sizes of a matrix product: the first matrix has rows × inner elements, the second inner × columns.
struct ParamGemm {
  std::int64_t rows = 0;
  std::int64_t inner = 0;
  std::int64_t columns = 0;
  bool square = false;  // given as mm_dim
};

// Numbers of an emb_lookup; -1: absent.
inline constexpr std::array<std::string_view, 5> param_lookup_keys = {"emb_dim", "num_embs", "batch_size",
                                                                      "num_emb_tables", "bag_size"};

struct ParamEntry {
  enum class Kind : std::uint8_t { communication, gemm, lookup };
  Kind kind = Kind::communication;
  bool batched = false;      // use_batch
  bool has_request = false;  // req
  bool has_markers = false;
  bool has_splits = false;
  std::uint32_t line = 0;
  const ParamOperation* operation = nullptr;  // for communication
  Text request{};                             // "7", or another text that identifies it
  Text type{};                                // dtype
  std::int64_t in_bytes = 0;
  std::int64_t out_bytes = 0;
  std::int64_t group = -1;  // pg_id; in this and the next fields, -1: absent
  std::int64_t world = -1;
  std::int64_t root = -1;
  std::int64_t start_ns = -1;
  std::int64_t source = -1;
  std::int64_t target = -1;
  Range in_split{};  // into ParamFile::numbers: bytes for each rank of the group
  Range out_split{};
  Range ranks{};           // for an init
  Range markers{};         // into ParamFile::texts
  std::int64_t count = 1;  // for a computation
  ParamGemm gemm{};
  Text direction{};
  std::array<std::int64_t, param_lookup_keys.size()> lookup{};
};

struct ParamFile : TextPool {
  std::string name;
  std::vector<ParamEntry> entries;
  std::vector<std::int64_t> numbers;
  std::vector<Text> texts;

  using TextPool::view;
  [[nodiscard]] std::span<const std::int64_t> view(Range r) const { return {numbers.data() + r.begin, r.count}; }
  [[nodiscard]] Location locate(const ParamEntry& entry) const { return {.file = name, .line = entry.line}; }
};

// Reads all entries. Throws Error(input) with line and column for input that the replay tool would reject. Warns
// about keys unknown to that tool.
[[nodiscard]] ParamFile read_param_file(Input& input, Diagnostics& diagnostics);

// Returns the number of operations of a product or lookup; -1 if it exceeds int64.
[[nodiscard]] std::int64_t param_operations(const ParamEntry& entry);
// Returns the number of bytes that the entry reads and writes; -1 if it exceeds int64.
[[nodiscard]] std::int64_t param_bytes(const ParamEntry& entry, std::int64_t element_bytes);

}  // namespace convert
