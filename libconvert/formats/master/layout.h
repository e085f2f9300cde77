// SPDX-License-Identifier: MIT
// Says how a master trace lies in its file, for its writer and its reader.
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

inline constexpr std::uint64_t memory_factor = 10;  // of contents: a number of one byte takes 8, beside the byte

// The file has blocks (formats/blocks.h) of sections: "texts", "shapes", "classes", "order", "groups"; a section is
// the payloads of its blocks, one behind the other. Unknown sections are skipped. A list of numbers is a code and
// its bytes; the values of a class are lists by field, the values of a field in the order of nodes.
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

// How a list of numbers is coded: each as zigzag LEB128, or its difference to the one before.
enum class Code : std::uint8_t { plain = 0, delta = 1 };

inline constexpr unsigned is_metadata = 1, has_inputs = 2, has_outputs = 4, has_extra = 8;

// Numbers the fields of a class in the order in which they appear.
class FieldTable {
 public:
  explicit FieldTable(const ShapeSet& shapes) : shapes_(shapes), plans_(shapes.size()) {}

  // A field, and how many values of it stand together.
  struct Part {
    std::uint32_t field;
    std::uint32_t count;
  };
  // Returns the fields of a shape, in the order of its values.
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
  std::vector<std::vector<Part>> plans_;  // by shape; no shape has none
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

}  // namespace convert::master_file
