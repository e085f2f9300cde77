// SPDX-License-Identifier: MIT
// Decoder of the JSON objects of a trace into the flat tables of core/trace.h.
#pragma once

#include <memory>
#include <optional>

#include "core/trace.h"
#include "formats/json/cursor.h"

namespace convert {

// Members consume one object and throw BadJson (formats/json/tokens.h). If they throw, including OutOfWindow, the
// tables are unchanged.
class JsonObjects {
 public:
  JsonObjects();
  ~JsonObjects();
  JsonObjects(const JsonObjects&) = delete;
  JsonObjects& operator=(const JsonObjects&) = delete;

  void metadata(JsonCursor& in, Metadata& to);
  // Appends a node; its rank, if given, must be `rank`. Returns false, at a position within the object, if the
  // object has a key "metadata" and is therefore the head of a rank.
  [[nodiscard]] bool node(JsonCursor& in, Rank rank, NodeTable& to);
  // Decodes {"rank":R,"metadata":{…}} and returns the rank, if given.
  [[nodiscard]] std::optional<Rank> head(JsonCursor& in, Metadata& to);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convert
