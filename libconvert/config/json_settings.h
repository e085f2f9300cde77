// SPDX-License-Identifier: MIT
// Reads configuration files that are JSON objects of known keys, value by value.
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

// Functions that read a key return nothing (path() and strings() something empty) if it is absent, and throw
// Error(input) at a value of the wrong kind or out of range.
class JsonSettings {
 public:
  // Reads everything. Throws Error(input) at malformed JSON, a key that is unknown (names the nearest known one) or
  // given twice, and maps and lists in lists. `source` must outlive this.
  JsonSettings(const JsonSource& source, const std::vector<std::string>& known_keys);

  [[nodiscard]] bool has(const std::string& key) const { return members_.contains(key); }
  [[nodiscard]] std::optional<std::int64_t> whole(const std::string& key, std::int64_t low,
                                                  std::int64_t high) const;
  [[nodiscard]] std::optional<double> number(const std::string& key, double high) const;  // from 0
  [[nodiscard]] std::optional<bool> flag(const std::string& key) const;                   // 0, 1, true or false
  [[nodiscard]] bool is_true_or_false(const std::string& key) const;  // whether a flag is true or false, not 0 or 1
  [[nodiscard]] std::string path(const std::string& key) const;       // or prefix; not empty unless absent
  // Returns the strings of a list that is not empty, with their places. `example` is such a list, for messages.
  [[nodiscard]] std::vector<JsonToken> strings(const std::string& key, const std::string& example) const;
  // Returns the value that `choices` gives for the key's string.
  template <typename T, std::size_t n>
  [[nodiscard]] std::optional<T> choice(const std::string& key,
                                        const std::array<std::pair<const char*, T>, n>& choices) const {
    std::vector<std::string> names;
    for (const auto& [name, value] : choices) names.emplace_back(name);
    const std::optional<std::size_t> k = index_of(key, names);
    return k ? std::optional<T>(choices.at(*k).second) : std::nullopt;
  }

  // Returns an error at the value of a key that is there.
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
