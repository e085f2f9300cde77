// SPDX-License-Identifier: MIT
// Reads a communications trace of PARAM, entry by entry, as it stands.
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

// The sizes of a matrix product, of which the first has rows × inner elements, the second inner × columns.
struct ParamGemm {
  std::int64_t rows = 0;
  std::int64_t inner = 0;
  std::int64_t columns = 0;
  bool square = false;  // given by mm_dim
};

// The numbers of an emb_lookup; -1: not given.
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
  const ParamOperation* operation = nullptr;  // of a communication
  Text request{};                             // "7", or any other text that names it
  Text type{};                                // dtype
  std::int64_t in_bytes = 0;
  std::int64_t out_bytes = 0;
  std::int64_t group = -1;  // pg_id; of these, -1: not given
  std::int64_t world = -1;
  std::int64_t root = -1;
  std::int64_t start_ns = -1;
  std::int64_t source = -1;
  std::int64_t target = -1;
  Range in_split{};  // into ParamFile::numbers: bytes for each rank of the group
  Range out_split{};
  Range ranks{};           // of an init
  Range markers{};         // into ParamFile::texts
  std::int64_t count = 1;  // of a computation
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

// Reads all entries. Throws Error(input) with line and column at what the replay tool would refuse; warns of keys
// that mean nothing to it.
[[nodiscard]] ParamFile read_param_file(Input& input, Diagnostics& diagnostics);

// Returns the operations of a product, or of a lookup; -1: more than an int64 holds.
[[nodiscard]] std::int64_t param_operations(const ParamEntry& entry);
// Returns the bytes that it reads and writes; -1: more than an int64 holds.
[[nodiscard]] std::int64_t param_bytes(const ParamEntry& entry, std::int64_t element_bytes);

}  // namespace convert
