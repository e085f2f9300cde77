// SPDX-License-Identifier: MIT
// Parses a small YAML document into a tree that records the location of each value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"

namespace convert {

struct YamlNode {
  enum class Kind : std::uint8_t { scalar, list, map };
  Kind kind = Kind::scalar;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string text{};             // of a scalar; empty for null
  std::vector<YamlNode> items{};  // elements of a list; key, value, key, value, … of a map

  // Returns the value of a key of a map, or null.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;
};

inline constexpr std::size_t max_yaml_bytes = 4 << 20;

// Kind of a document, for messages and limits.
struct YamlSubject {
  std::string noun;      // "network file"
  std::string rule;      // rule of the errors
  std::string is_empty;  // message for a document without content
  std::size_t max_keys;  // in one map
  std::size_t max_depth = 5;
};
extern const YamlSubject network_yaml;

// Parses one document with a map at the top level. Accepts at most subject.max_depth levels, 2^20 values and
// subject.max_keys keys in a map; no repeated keys, anchors, aliases or NUL bytes. Throws Error(input) with the
// location.
[[nodiscard]] YamlNode parse_yaml_tree(const std::string& file, std::string_view text,
                                       const YamlSubject& subject = network_yaml);

// Returns an Error(input) [network] at a node.
[[nodiscard]] Error yaml_error(const std::string& file, const YamlNode& at, const std::string& message);
// Throws Error(input) with the nearest known key if `map` has a key that is not in `known`.
void check_yaml_keys(const std::string& file, const YamlNode& map, const std::vector<std::string>& known,
                     const YamlSubject& subject = network_yaml);

}  // namespace convert
