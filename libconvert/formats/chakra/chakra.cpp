// SPDX-License-Identifier: MIT
// Format chakra (.et): a varint-delimited GlobalMetadata, then Nodes until the end of the file; no magic, no count.
#include <algorithm>
#include <string>

#include "core/units.h"
#include "formats/chakra/link_order.h"
#include "formats/chakra/protobuf.h"
#include "formats/chakra/stream.h"
#include "formats/format.h"

namespace convert {
namespace {

using protobuf::make_tag;

constexpr std::size_t chunk_bytes = std::size_t{64} << 10U;
constexpr std::size_t max_length_size = 10;

// Returns the varint at visible[at] and moves `at` after it; nothing if the varint is cut or malformed.
std::optional<std::uint64_t> glimpse_varint(std::string_view visible, std::uint64_t& at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < max_length_size && at < visible.size(); ++i) {
    const auto byte = static_cast<unsigned char>(visible[static_cast<std::size_t>(at++)]);
    value |= (byte & std::uint64_t{0x7f}) << (7 * i);
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

class ChakraReader final : public TraceReader {
 public:
  explicit ChakraReader(const ReadContext& context)
      : input_(context.input), rank_(context.rank.value_or(0)), decoder_(context.input.name()) {}

  bool next_rank(Trace& out) override {
    if (begun_) return false;
    begun_ = true;
    out.rank = rank_;
    out.name = input_.name();
    out.nodes.clear();
    const Frame frame = peek_frame(chunk_bytes);
    if (frame.view.empty()) fail(0, "an empty file is not a Chakra trace: its metadata message is missing");
    decoder_.metadata(frame.body(), frame.offset + frame.head, out.metadata);
    input_.skip(frame.head + frame.size);
    return true;
  }

  bool next_nodes(Trace& out, std::size_t max_nodes) override {
    out.nodes.clear();
    out.nodes.positions_are_lines = false;
    std::size_t used = 0;
    while (out.nodes.nodes.size() < max_nodes && used < batch_bytes) {
      const std::size_t n = decode_chunk(out.nodes, max_nodes);
      if (n == 0) break;
      used += n;
    }
    return used != 0;
  }

  std::optional<Encoded> peek_encoded(std::size_t most) override {
    const std::optional<std::uint64_t> size = input_.size();
    if (size && *size - input_.offset() > most) return std::nullopt;
    const Encoded all{input_.peek(size ? static_cast<std::size_t>(*size - input_.offset()) + 1 : most + 1),
                      input_.offset()};
    return all.bytes.size() > most ? std::nullopt : std::optional(all);
  }
  void skip_encoded(const Encoded& shown, std::uint64_t /*nodes*/) override { input_.skip(shown.bytes.size()); }

  Taken take_encoded(const Take& take) override {
    for (std::size_t need = chunk_bytes;;) {
      const std::string_view view = input_.peek(need);
      if (view.empty()) return Taken::all;
      const std::optional<std::size_t> used = take(view);
      if (!used) return Taken::some;
      input_.skip(*used);
      const bool last = view.size() < need;
      need = chunk_bytes;
      if (*used != 0) continue;
      std::uint64_t head = 0;
      const auto size = glimpse_varint(view, head);
      if (last || !size || *size > max_chakra_message || head + *size <= view.size()) return Taken::some;
      need = static_cast<std::size_t>(head + *size);
    }
  }

 private:
  // The next message: its bytes in view, its offset, and the sizes of its length prefix and body.
  struct Frame {
    std::string_view view;
    std::uint64_t offset = 0;
    std::size_t head = 0;
    std::size_t size = 0;
    [[nodiscard]] std::string_view body() const { return view.substr(head, size); }
  };

  // Returns false if the view ends inside the length.
  bool parse_length(Frame& frame) const {
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < frame.view.size(); ++i) {
      if (i == max_length_size) fail(frame.offset, "malformed length of a message, " + after());
      const auto byte = static_cast<unsigned char>(frame.view[i]);
      size |= (byte & std::uint64_t{0x7f}) << (7 * i);
      if (byte >= 0x80) continue;
      if (size > max_chakra_message) {
        fail(frame.offset, "a message of " + counted(size, "byte") + ", " + after() + "; the limit is 2 GiB");
      }
      frame.head = i + 1;
      frame.size = static_cast<std::size_t>(size);
      return true;
    }
    return false;
  }

  // Returns a view with a whole message, or an empty view at the end of the input.
  Frame peek_frame(std::size_t at_least) {
    Frame frame{.view = input_.peek(at_least), .offset = input_.offset()};
    if (frame.view.empty()) return frame;
    if (!parse_length(frame))
      fail(frame.offset, "truncated " + after() + ": the file ends inside the length of a message");
    const std::size_t need = frame.head + frame.size;
    if (frame.view.size() < need) frame.view = input_.peek(need);
    if (frame.view.size() < need) {
      fail(frame.offset, "truncated " + after() + ": a message of " + counted(frame.size, "byte") + " has only " +
                             counted(frame.view.size() - frame.head, "byte"));
    }
    return frame;
  }

  // Decodes the messages that are complete in the next chunk, at least one. Returns the bytes used, 0 at the end of
  // the input.
  std::size_t decode_chunk(NodeTable& nodes, std::size_t max_nodes) {
    Frame frame = peek_frame(chunk_bytes);
    if (frame.view.empty()) return 0;
    std::size_t used = 0;
    do {
      const std::size_t size = frame.head + frame.size;
      nodes.positions.push_back(frame.offset);
      decoder_.node(frame.body(), frame.view.size() - size, frame.offset + frame.head, nodes);
      last_id_ = nodes.nodes.back().id;
      any_node_ = true;
      used += size;
      frame.offset += size;
      frame.view.remove_prefix(size);
    } while (nodes.nodes.size() < max_nodes && parse_length(frame) && frame.view.size() - frame.head >= frame.size);
    input_.skip(used);
    return used;
  }

  [[nodiscard]] std::string after() const {
    if (any_node_) return "after node " + std::to_string(last_id_);
    return input_.offset() == 0 ? "in the metadata message" : "in the first node";
  }

  [[noreturn]] void fail(std::uint64_t offset, const std::string& message) const {
    Location where{.file = input_.name(), .offset = static_cast<std::int64_t>(offset)};
    if (any_node_) where.node = static_cast<std::int64_t>(last_id_);
    throw input_error(where, message);
  }

  Input& input_;
  Rank rank_;
  ChakraDecoder decoder_;
  bool begun_ = false;
  bool any_node_ = false;
  NodeId last_id_ = 0;
};

class ChakraWriter final : public TraceWriter {
 public:
  explicit ChakraWriter(LinkOrderForm form) : order_(form) {}

  void begin_rank(const Trace& head, std::size_t /*ordinal*/, bool /*many*/, std::string& out) override {
    encoder_.metadata(head.metadata, out);
  }
  void nodes(const Trace& batch, std::string& out) override {
    encoder_.nodes(order_.changes() ? order_.change(batch.nodes) : batch.nodes, out);
  }

 private:
  ChakraEncoder encoder_;
  LinkOrderWriter order_;
};

// Sniffing: a message that may be cut after its beginning.
struct Glimpse {
  std::string_view visible;
  std::uint64_t size = 0;
};

// Returns whether a message has well-formed fields, with the fields in `known` valid and few others; counts the
// others. A cut message must have at least one complete field or many visible bytes.
bool plausible_fields(const Glimpse& message, bool (*known)(std::uint32_t tag, std::string_view content),
                      int& others, bool need_whole) {
  const bool cut = message.visible.size() < message.size;
  constexpr std::size_t much = 1024;
  bool enough = !need_whole || message.visible.size() >= much;
  std::uint64_t at = 0;
  while (at < message.visible.size()) {
    const auto tag = glimpse_varint(message.visible, at);
    if (!tag) return cut && enough;
    const std::uint64_t type = *tag & 7U;
    if (*tag >> 3U == 0 || *tag > 0xffffffffU) return false;
    std::uint64_t skip = 0;
    if (type == protobuf::varint || type == protobuf::bytes) {
      const auto value = glimpse_varint(message.visible, at);
      if (!value) return cut && enough;
      skip = type == protobuf::bytes ? *value : 0;
    } else if (type == protobuf::fixed64 || type == protobuf::fixed32) {
      skip = type == protobuf::fixed64 ? 8 : 4;
    } else {
      return false;
    }
    if (skip > message.size - at) return false;
    const std::string_view rest = message.visible.substr(static_cast<std::size_t>(at));
    const bool is_known = known(static_cast<std::uint32_t>(*tag), rest.substr(0, static_cast<std::size_t>(skip)));
    others += is_known ? 0 : 1;
    if (others > 2) return false;
    at += skip;
    enough = enough || at <= message.visible.size();
  }
  return enough;
}

bool metadata_field(std::uint32_t tag, std::string_view content) {
  if (tag == make_tag(1, protobuf::bytes)) {  // a version: not a line of text or a piece of JSON
    return std::none_of(content.begin(), content.end(),
                        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"'; });
  }
  return tag == make_tag(2, protobuf::bytes) && (content.empty() || content[0] == '\n' || content[0] == '\x12');
}

bool node_field(std::uint32_t tag, std::string_view /*content*/) {
  constexpr std::uint32_t varints = 1U << 1U | 1U << 3U | 1U << 4U | 1U << 5U | 1U << 6U | 1U << 7U;
  constexpr std::uint32_t bytes = 1U << 2U | 1U << 4U | 1U << 5U | 1U << 8U | 1U << 9U | 1U << 10U;
  const std::uint32_t field = tag >> 3U;
  if (field > 10) return false;
  return ((tag & 7U) == protobuf::varint && (varints >> field & 1U) != 0) ||
         ((tag & 7U) == protobuf::bytes && (bytes >> field & 1U) != 0);
}

// There is no magic number, and the first bytes may look like text: metadata of 123 bytes begins with "{\n", of 91
// bytes with "[\n", of 60 bytes with '<'. So the sniffer parses a length, GlobalMetadata of that length, and a
// Node.
bool sniff_chakra(std::string_view head) {
  std::uint64_t at = 0;
  const auto metadata_size = glimpse_varint(head, at);
  if (!metadata_size || *metadata_size > max_chakra_message) return false;
  head.remove_prefix(static_cast<std::size_t>(at));
  const Glimpse metadata{head.substr(0, static_cast<std::size_t>(*metadata_size)), *metadata_size};
  int others = 0;
  if (!metadata.visible.empty()) {
    const auto first = static_cast<unsigned char>(metadata.visible[0]);
    if (first != make_tag(1, protobuf::bytes) && first != make_tag(2, protobuf::bytes)) return false;
    if (!plausible_fields(metadata, metadata_field, others, true)) return false;
  }
  head.remove_prefix(metadata.visible.size());
  if (head.empty()) return others == 0;
  at = 0;
  const auto node_size = glimpse_varint(head, at);
  if (!node_size) return head.size() < max_length_size;
  if (*node_size == 0 || *node_size > max_chakra_message) return false;
  head.remove_prefix(static_cast<std::size_t>(at));
  const Glimpse node{head.substr(0, static_cast<std::size_t>(*node_size)), *node_size};
  if (node.visible.empty()) return others == 0;
  const auto first = static_cast<unsigned char>(node.visible[0]);  // an id, name or type; no text begins like this
  const bool begins_as_usual = first == make_tag(1, protobuf::varint) || first == make_tag(2, protobuf::bytes) ||
                               first == make_tag(3, protobuf::varint);
  // Fields may be in any order, first fields with default values are omitted, and metadata may appear twice. Such
  // files must have no unknown fields.
  if (!begins_as_usual && others != 0) return false;
  const bool metadata_again = first == make_tag(1, protobuf::bytes);
  others = 0;
  return plausible_fields(node, metadata_again ? metadata_field : node_field, others, !begins_as_usual) &&
         (begins_as_usual || others == 0);
}

std::unique_ptr<TraceReader> read_chakra(const ReadContext& context) {
  return std::make_unique<ChakraReader>(context);
}
std::unique_ptr<TraceWriter> write_chakra(const FormatOptions& options) {
  return std::make_unique<ChakraWriter>(link_order_form(options));
}

}  // namespace

extern const Format chakra_format;
const Format chakra_format = {
    .name = "chakra",
    .summary = "Chakra execution trace, one .et file per NPU",
    .suffixes = {".et"},
    .write_options =
        {{"set", "tar|plain",
          "tar: one stream of all ranks; plain: the file of a single rank (default: by the number of ranks)"},
         {"order", "ctrl|attr|both",
          "form of the link order of a schedule's sends: control dependencies, the attribute "
          "link_seq, or both (default)"}},
    .sniff = sniff_chakra,
    .read = read_chakra,
    .write = write_chakra,
    .nodes_apart = true,
    .file_per_rank = true,
};

}  // namespace convert
