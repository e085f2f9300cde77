// SPDX-License-Identifier: MIT
// Decodes the JSON objects of a trace into the flat tables of core/trace.h.
#pragma once

#include <memory>
#include <optional>

#include "core/trace.h"
#include "formats/json/cursor.h"

namespace convert {

// Members take one object and throw BadJson (formats/json/tokens.h); where they throw, also OutOfWindow, they leave
// the tables as they were.
class JsonObjects {
 public:
  JsonObjects();
  ~JsonObjects();
  JsonObjects(const JsonObjects&) = delete;
  JsonObjects& operator=(const JsonObjects&) = delete;

  void metadata(JsonCursor& in, Metadata& to);
  // Appends a node; if it says its rank, that must be `rank`. Returns false, somewhere in the object, if it has a
  // key "metadata" and so is the head of a rank.
  [[nodiscard]] bool node(JsonCursor& in, Rank rank, NodeTable& to);
  // Decodes {"rank":R,"metadata":{…}} and returns the rank, if it is given.
  [[nodiscard]] std::optional<Rank> head(JsonCursor& in, Metadata& to);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
