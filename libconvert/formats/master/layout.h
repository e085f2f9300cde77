// SPDX-License-Identifier: MIT
// File layout of a class-compressed set (.etm), for its writer and reader.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/master/shapes.h"
#include "formats/blocks.h"

namespace convert::master_file {

inline constexpr std::uint64_t memory_factor = 10;  // a one-byte number takes 8 bytes, plus the byte

// The file consists of blocks (formats/blocks.h) of the sections "texts", "shapes", "classes", "order", "groups". A
// section is the concatenation of the payloads of its blocks. Unknown sections are skipped. A list of numbers is a
// code followed by its bytes. The values of a class are lists by field; the values of a field are in node order.
inline constexpr blocks::Kind kind{
    .magic =
        "\x89"
        "ETSET\r\n\x1a\n",
    .version = 1,
    .noun = "master trace",
    .rule = "master",
    .memory = [](std::string_view /*section*/, std::uint64_t /*rows*/, std::uint64_t payload_bytes) {
      return memory_factor * payload_bytes;
    }};
inline constexpr std::size_t block_bytes = std::size_t{2} << 20U;

// Code of a list of numbers: zigzag LEB128 of each number, or of its difference to the previous number.
enum class Code : std::uint8_t { plain = 0, delta = 1 };

inline constexpr unsigned is_metadata = 1, has_inputs = 2, has_outputs = 4, has_extra = 8;

// Numbering of the fields of a class in order of appearance.
class FieldTable {
 public:
  explicit FieldTable(const ShapeSet& shapes) : shapes_(shapes), plans_(shapes.size()) {}

  // A field, and the number of its consecutive values.
  struct Part {
    std::uint32_t field;
    std::uint32_t count;
  };
  // Returns the fields of a shape in the order of its values.
  [[nodiscard]] std::span<const Part> parts(std::uint32_t shape) {
    std::vector<Part>& plan = plans_[shape];
    if (plan.empty()) {
      ShapeSet::for_each_field(shapes_[shape], [&](const ShapeField& f, std::uint32_t count) {
        const std::uint64_t key = std::uint64_t{f.name.index()} << 32U | static_cast<std::uint64_t>(f.of) << 16U |
                                  static_cast<std::uint64_t>(f.kind) << 8U | f.part;
        const auto at = numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size())).first;
        plan.push_back({at->second, count});
      });
    }
    return plan;
  }
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }

 private:
  const ShapeSet& shapes_;
  std::vector<std::vector<Part>> plans_;  // by shape; every shape has at least one part
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

}  // namespace convert::master_file
