// SPDX-License-Identifier: MIT
// Builder of small protobuf messages in place, field by field.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "formats/chakra/protobuf.h"

namespace convert {

// A message under construction; its size is unknown before its end.
class PerfettoMessage {
 public:
  PerfettoMessage& number(std::uint32_t field, std::uint64_t value) {
    put(protobuf::make_tag(field, protobuf::varint));
    put(value);
    return *this;
  }
  PerfettoMessage& fixed64(std::uint32_t field, std::uint64_t value) {
    put(protobuf::make_tag(field, protobuf::fixed64));
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    text_.append(bytes, sizeof bytes);
    return *this;
  }
  PerfettoMessage& text(std::uint32_t field, std::string_view value) {
    put(protobuf::make_tag(field, protobuf::bytes));
    put(value.size());
    text_ += value;
    return *this;
  }
  PerfettoMessage& message(std::uint32_t field, const PerfettoMessage& value) { return text(field, value.text_); }
  [[nodiscard]] const std::string& bytes() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  void clear() { text_.clear(); }

 private:
  void put(std::uint64_t value) {
    char bytes[10];
    text_.append(bytes, static_cast<std::size_t>(protobuf::put_varint(bytes, value) - bytes));
  }
  std::string text_;
};

}  // namespace convert
