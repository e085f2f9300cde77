// SPDX-License-Identifier: MIT
#include "formats/unknown_fields.h"

#include <string>

#include "formats/chakra/protobuf.h"
#include "formats/chakra/stream.h"

namespace convert {
namespace {

std::string wrap(std::uint32_t field, std::string_view message) {
  std::string out(16 + message.size(), '\0');
  char* at = protobuf::put_varint(out.data(), protobuf::make_tag(field, protobuf::bytes));
  at = protobuf::put_text(protobuf::put_varint(at, message.size()), message);
  out.resize(static_cast<std::size_t>(at - out.data()));
  return out;
}

}  // namespace

bool only_unknown_fields(ProtoMessage message, Kind list_kind, std::string_view bytes) {
  if (bytes.empty()) return true;
  ChakraDecoder decoder{{}};
  try {
    if (message == ProtoMessage::metadata) {
      Metadata m;
      decoder.metadata(bytes, 0, m);
      return m.unknown == bytes;
    }
    std::string node(bytes);
    if (message == ProtoMessage::io) node = wrap(8, bytes);
    if (message == ProtoMessage::attribute) node = wrap(10, bytes);
    if (message == ProtoMessage::list) node = wrap(10, wrap(static_cast<std::uint32_t>(list_kind), bytes));
    NodeTable t;
    decoder.node(node, 0, 0, t);
    if (message == ProtoMessage::io) return t.io.size() == 1 && t.view(t.io[0].unknown) == bytes;
    if (t.extras.size() != 1) return false;
    return t.view(message == ProtoMessage::list ? t.extras[0].list_unknown : t.extras[0].unknown) == bytes;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace convert
