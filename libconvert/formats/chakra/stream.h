// SPDX-License-Identifier: MIT
// Decoder and encoder of Chakra .et messages, between encoded bytes and the flat tables of core/trace.h.
//
// Both directions agree with libprotobuf 3.21 bit for bit: whatever parses there parses here into the same message,
// and the written bytes are the same. One difference: text that is not UTF-8 is kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"

namespace convert {

inline constexpr std::uint64_t max_chakra_message = 0x7fffffff;  // protobuf's limit in bytes

namespace protobuf {
struct Cursor;
}

// Decoder of the messages of one file. Use one object per file: it remembers attribute names.
class ChakraDecoder {
 public:
  explicit ChakraDecoder(std::string file);

  // Decode a message whose body begins at byte `offset` of the file. Throw Error(input) with the offset of the
  // malformed byte.
  void metadata(std::string_view message, std::uint64_t offset, Metadata& to);
  // Appends one node. `slack`: number of bytes after the message that are readable (their values are not used).
  void node(std::string_view message, std::size_t slack, std::uint64_t offset, NodeTable& to);

 private:
  // A known name: field 1 of AttributeProto in encoded form, padded with zeros.
  struct SeenName {
    std::array<std::uint64_t, 4> words{};
    Name name;
  };

  void decode_metadata(protobuf::Cursor in, Metadata& to);
  void decode_node(protobuf::Cursor in, NodeTable& to);
  void keep_unknown(Node& n, NodeTable& to);
  void decode_attr(protobuf::Cursor in, AttrTable& to);
  void decode_list(protobuf::Cursor in, Attr& a, AttrTable& to);
  void decode_io(protobuf::Cursor in, IoInfo& io, NodeTable& to, std::string& unknown);
  bool decode_plain_attr(protobuf::Cursor in, std::size_t position, AttrTable& to);
  void remember_name(SeenName& predicted, const protobuf::Cursor& at, std::size_t size);
  bool match_name(protobuf::Cursor& in, SeenName& predicted);
  void drop_list(Attr& a, AttrTable& to);
  [[noreturn]] void fail(const char* begin, std::uint64_t offset, const char* at, const std::string& what) const;

  std::string file_;
  std::vector<SeenName> seen_;       // by hash
  std::vector<SeenName> predicted_;  // by position in the node: the name in the previous node
  const char* readable_end_ = nullptr;
  bool any_node_ = false;
  NodeId last_id_ = 0;
  // Fields of a message that other fields may interrupt, collected until the end of the message.
  std::vector<NodeId> late_ctrl_deps_;
  std::string node_unknown_, inputs_unknown_, outputs_unknown_, attr_unknown_, list_unknown_;
};

// Encoder of delimited messages. Use one object for all messages: it remembers encoded attribute names.
class ChakraEncoder {
 public:
  // Append a varint length and the message. Throw Error(input) if a message reaches 2 GiB.
  void metadata(const Metadata& metadata, std::string& out);
  void nodes(const NodeTable& table, std::string& out);

 private:
  struct KnownName {
    std::array<char, 32> bytes{};  // field 1 of AttributeProto, if it fits
    std::uint32_t size = unknown;
    static constexpr std::uint32_t unknown = 0xffffffff, too_long = 0xfffffffe;
  };

  [[nodiscard]] char* reserve(char* at, std::size_t n);
  [[nodiscard]] const KnownName& known_name(Name name) {
    if (name.index() >= names_.size() || names_[name.index()].size == KnownName::unknown) learn_name(name);
    return names_[name.index()];
  }
  void learn_name(Name name);
  [[nodiscard]] char* put_node(char* at, const NodeTable& table, const Node& node);
  [[nodiscard]] char* put_deps(char* at, std::uint32_t field, std::span<const NodeId> deps);
  [[nodiscard]] char* put_io(char* at, std::uint32_t field, const NodeTable& table, const IoInfo& io);
  [[nodiscard]] char* put_attrs(char* at, char tag, const AttrTable& table, std::span<const Attr> attrs);
  [[nodiscard]] char* put_large_attr(char* at, char tag, const AttrTable& table, const Attr& attr);
  [[nodiscard]] char* begin_message(char* at);
  [[nodiscard]] char* end_message(char* at);
  void flush(char* at, std::string& out);

  std::vector<KnownName> names_;  // by Name::index
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t body_ = 0;         // begin of the current message's body in buffer_
  std::size_t length_size_ = 2;  // bytes reserved for its length: the size of the previous one
};

}  // namespace convert
