// SPDX-License-Identifier: MIT
// Decodes the JSON objects of a trace, one text each, into the flat tables of core/trace.h.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "core/trace.h"

namespace convert {

// Every text must be followed by padding() readable bytes. Members throw BadJson (formats/json/tokens.h).
class JsonObjects {
 public:
  JsonObjects();
  ~JsonObjects();
  JsonObjects(const JsonObjects&) = delete;
  JsonObjects& operator=(const JsonObjects&) = delete;

  [[nodiscard]] static std::size_t padding();

  void metadata(std::string_view text, Metadata& to);
  // Appends a node; if it says its rank, that must be `rank`. Returns false if the object has a key "metadata" and
  // so is the head of a rank.
  [[nodiscard]] bool node(std::string_view text, Rank rank, NodeTable& to);
  // Decodes {"rank":R,"metadata":{…}} and returns the rank, if it is given.
  [[nodiscard]] std::optional<Rank> head(std::string_view text, Metadata& to);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
