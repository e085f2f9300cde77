// SPDX-License-Identifier: MIT
// The parts behind formats json and jsonl; only json*.cpp include this.
#pragma once

#include <memory>
#include <string_view>

#include "formats/format.h"

namespace convert {

enum class JsonLayout : unsigned char { document, lines };

[[nodiscard]] std::unique_ptr<TraceWriter> make_json_writer(JsonLayout layout);
[[nodiscard]] std::unique_ptr<TraceReader> make_json_reader(const ReadContext& context);
[[nodiscard]] std::unique_ptr<TraceReader> make_json_lines_reader(const ReadContext& context);
// Whether the line, as far as it is there, is an object with a node's type.
[[nodiscard]] bool is_json_node(std::string_view line);
// Format::peek_groups of both.
[[nodiscard]] std::string peek_json_groups(Input& input);

}  // namespace convert
