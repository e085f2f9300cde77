// SPDX-License-Identifier: MIT
// A small YAML document as a tree that knows where each value stands.
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
  std::string text{};             // of a scalar; null is empty
  std::vector<YamlNode> items{};  // of a list; of a map key, value, key, value, …

  // The value of a key of a map, or null.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;
};

inline constexpr std::size_t max_yaml_bytes = 4 << 20;

// What a document is, for messages and limits.
struct YamlSubject {
  std::string noun;      // "network file"
  std::string rule;      // of the errors
  std::string is_empty;  // what to say of a document without content
  std::size_t max_keys;  // in a map
};
extern const YamlSubject network_yaml;

// One document, a map at its top: at most 5 levels, 2^20 values, a few keys in a map, no key twice, no anchors,
// aliases or NUL bytes. Throws Error(input) with the place.
[[nodiscard]] YamlNode parse_yaml_tree(const std::string& file, std::string_view text,
                                       const YamlSubject& subject = network_yaml);

[[nodiscard]] Error yaml_error(const std::string& file, const YamlNode& at, const std::string& message);
// Throws if `map` has a key that is not among `known`, naming the nearest of them.
void check_yaml_keys(const std::string& file, const YamlNode& map, const std::vector<std::string>& known,
                     const YamlSubject& subject = network_yaml);
// "a, b, c".
[[nodiscard]] std::string join(const std::vector<std::string>& words);

}  // namespace convert
