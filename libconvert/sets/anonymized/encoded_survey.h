// SPDX-License-Identifier: MIT
// Surveys the nodes of a rank in encoded Chakra form, without decoding them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/text_set.h"
#include "passes/anonymize/survey.h"

namespace convert {

namespace protobuf {
struct Cursor;
}

// Finds the results of RankSurveyor, except sizes.
class EncodedSurveyor {
 public:
  EncodedSurveyor(const Trace& head, bool names);
  // Consumes the nodes that are complete in these bytes, with their length prefixes, and returns the number of
  // bytes consumed. Returns nothing if the encoding differs from protobuf's writers or is damaged; then the nodes
  // must be decoded.
  [[nodiscard]] std::optional<std::size_t> add(std::string_view bytes);
  [[nodiscard]] RankSurvey finish();

 private:
  [[nodiscard]] bool add_node(std::string_view message);
  [[nodiscard]] bool add_attribute(std::string_view attribute, std::int64_t& start_ns);
  [[nodiscard]] bool add_group(protobuf::Cursor value);
  void add_start(std::uint64_t start, bool in_us);

  std::int64_t base_ns_;
  bool takes_names_;
  RankSurvey out_;
  DenseIdCheck ids_;
  TextSet groups_, names_;
  std::string last_group_;
};

}  // namespace convert
