// SPDX-License-Identifier: MIT
// Typed access to configuration files that are JSON objects with a fixed set of keys.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/json_map.h"
#include "core/diagnostic.h"

namespace convert {

// Functions that read a key return nothing (path() and strings(): an empty value) if the key is absent. They
// throw Error(input) for a value of the wrong kind or out of range.
class JsonSettings {
 public:
  // Reads all members. `source` must outlive this. Throws Error(input) for malformed JSON, an unknown key (with
  // the nearest known key), a repeated key, maps, and lists in lists.
  JsonSettings(const JsonSource& source, const std::vector<std::string>& known_keys);

  [[nodiscard]] bool has(const std::string& key) const { return members_.contains(key); }
  [[nodiscard]] std::optional<std::int64_t> whole(const std::string& key, std::int64_t low,
                                                  std::int64_t high) const;
  [[nodiscard]] std::optional<double> number(const std::string& key, double high) const;  // at least 0
  [[nodiscard]] std::optional<bool> flag(const std::string& key) const;                   // 0, 1, true or false
  [[nodiscard]] bool is_true_or_false(const std::string& key) const;  // whether a flag is written as true or false,
                                                                      // not 0 or 1
  [[nodiscard]] std::string path(const std::string& key) const;       // path or prefix; not empty unless absent
  // Returns the strings of a list that is not empty, with their locations. `example` is such a list, for
  // messages.
  [[nodiscard]] std::vector<JsonToken> strings(const std::string& key, const std::string& example) const;
  // Returns the element of `choices` for the key's string.
  template <typename T, std::size_t n>
  [[nodiscard]] std::optional<T> choice(const std::string& key,
                                        const std::array<std::pair<const char*, T>, n>& choices) const {
    std::vector<std::string> names;
    for (const auto& [name, value] : choices) names.emplace_back(name);
    const std::optional<std::size_t> k = index_of(key, names);
    return k ? std::optional<T>(choices.at(*k).second) : std::nullopt;
  }

  // Returns an error at the value of a key, which must be present.
  [[nodiscard]] Error failure(const std::string& key, const std::string& message) const;

 private:
  [[nodiscard]] const JsonMember* find(const std::string& key) const;
  [[nodiscard]] std::optional<std::size_t> index_of(const std::string& key,
                                                    const std::vector<std::string>& names) const;
  void take(const JsonMember& member, const std::vector<std::string>& known_keys);

  const JsonSource& source_;
  std::map<std::string, JsonMember> members_;
};

}  // namespace convert
