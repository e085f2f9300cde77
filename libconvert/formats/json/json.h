// SPDX-License-Identifier: MIT
// Readers and writers of the formats json and jsonl.
#pragma once

#include <memory>
#include <string_view>

#include "formats/format.h"

namespace convert {

enum class JsonLayout : unsigned char { document, lines };

// Returns a writer of json (document) or jsonl (lines). If `flat`, attributes are {"name":value} without kinds, doc
// strings and unknown fields, for other programs; etkit cannot read them.
[[nodiscard]] std::unique_ptr<TraceWriter> make_json_writer(JsonLayout layout, bool flat = false);
// Return a reader of json, and a reader of jsonl.
[[nodiscard]] std::unique_ptr<TraceReader> make_json_reader(const ReadContext& context);
[[nodiscard]] std::unique_ptr<TraceReader> make_json_lines_reader(const ReadContext& context);
// Returns whether the line, possibly cut, is an object with a node type.
[[nodiscard]] bool is_json_node(std::string_view line);
// Implements Format::peek_groups of both formats.
[[nodiscard]] std::string peek_json_groups(Input& input);

}  // namespace convert
