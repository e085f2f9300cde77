// SPDX-License-Identifier: MIT
// Reads InfraGraph documents in protocol buffer form into the tree that the JSON text would give, by a table of
// fields.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>

#include "config/network/imports/infragraph_model.h"
#include "config/yaml_tree.h"

namespace convert {
namespace {

struct InfraField;
using InfraMessage = std::vector<InfraField>;

struct InfraField {
  std::uint32_t number;
  const char* key;
  enum class Kind : std::uint8_t { text, whole, real, choice, message } kind;
  bool repeated = false;
  const InfraMessage* message = nullptr;
  std::vector<std::string> choices{};  // from 0
};

// Fields that networks use; others are skipped.
const InfraMessage& infrastructure_fields() {
  using Kind = InfraField::Kind;
  const auto units = [](const std::vector<std::string>& names) {
    InfraMessage m = {{1, "choice", Kind::choice, false, nullptr, {"", names[0], names[1], names[2]}}};
    for (std::uint32_t i = 0; i < names.size(); ++i)
      m.push_back({i + 2, "", Kind::real, false, nullptr, {names[i]}});
    return m;
  };
  static const InfraMessage bandwidth =
      units({"gigabits_per_second", "gigabytes_per_second", "gigatransfers_per_second"});
  static const InfraMessage latency = units({"ms", "us", "ns"});
  static const InfraMessage physical = {{1, "bandwidth", Kind::message, false, &bandwidth},
                                        {2, "latency", Kind::message, false, &latency}};
  static const InfraMessage link = {{1, "name", Kind::text}, {3, "physical", Kind::message, false, &physical}};
  static const InfraMessage component = {
      {1, "name", Kind::text},
      {3, "count", Kind::whole},
      {4,
       "choice",
       Kind::choice,
       false,
       nullptr,
       {"", "custom", "device", "cpu", "xpu", "nic", "memory", "port", "switch"}}};
  static const InfraMessage device_end = {{1, "device", Kind::text}, {2, "component", Kind::text}};
  static const InfraMessage instance_end = {{1, "instance", Kind::text}, {2, "component", Kind::text}};
  const auto edge_of = [](const InfraMessage& end) {
    return InfraMessage{{1, "ep1", Kind::message, false, &end},
                        {2, "ep2", Kind::message, false, &end},
                        {3, "scheme", Kind::choice, false, nullptr, {"", "one2one", "many2many", "ring"}},
                        {4, "link", Kind::text}};
  };
  static const InfraMessage device_edge = edge_of(device_end);
  static const InfraMessage edge = edge_of(instance_end);
  static const InfraMessage device = {{1, "name", Kind::text},
                                      {3, "components", Kind::message, true, &component},
                                      {4, "links", Kind::message, true, &link},
                                      {5, "edges", Kind::message, true, &device_edge}};
  static const InfraMessage instance = {
      {1, "name", Kind::text}, {3, "device", Kind::text}, {4, "count", Kind::whole}};
  static const InfraMessage infrastructure = {{1, "name", Kind::text},
                                              {3, "devices", Kind::message, true, &device},
                                              {4, "links", Kind::message, true, &link},
                                              {5, "instances", Kind::message, true, &instance},
                                              {6, "edges", Kind::message, true, &edge}};
  return infrastructure;
}

class InfraDecoder {
 public:
  InfraDecoder(const std::string& file, std::string_view bytes) : file_(file), bytes_(bytes) {}

  YamlNode decode() { return read_message(infrastructure_fields(), bytes_.size()); }

 private:
  [[nodiscard]] Error error(const std::string& what) const {
    return input_error({.file = file_, .offset = static_cast<std::int64_t>(at_)}, what, "network");
  }

  std::uint64_t varint(std::size_t end) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ >= end) throw error("the binary InfraGraph is truncated in a number");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    throw error("a number of more than ten bytes");
  }
  std::string_view take(std::uint64_t size, std::size_t end) {
    if (size > end - at_) throw error("the binary InfraGraph is truncated in a field");
    const std::string_view taken = bytes_.substr(at_, size);
    at_ += size;
    return taken;
  }

  // The tables bound the depth of messages.
  YamlNode read_message(const InfraMessage& fields, std::size_t end) {
    YamlNode map{.kind = YamlNode::Kind::map};
    while (at_ < end) {
      const std::uint64_t tag = varint(end);
      const auto field = std::ranges::find(fields, tag >> 3U, &InfraField::number);
      const auto wire = static_cast<std::uint32_t>(tag & 7U);
      if (field == fields.end()) {
        skip(wire, end);
      } else {
        put(map, *field, read_value(*field, wire, end));
      }
    }
    return map;
  }

  void skip(std::uint32_t wire, std::size_t end) {
    if (wire == 0) {
      (void)varint(end);
    } else if (wire == 1 || wire == 5) {
      (void)take(wire == 1 ? 8 : 4, end);
    } else if (wire == 2) {
      (void)take(varint(end), end);
    } else {
      throw error("a field of an encoding that InfraGraph does not use");
    }
  }

  YamlNode read_value(const InfraField& field, std::uint32_t wire, std::size_t end) {
    using Kind = InfraField::Kind;
    constexpr std::array<std::uint32_t, 5> wires = {2, 0, 5, 0, 2};  // by kind
    if (wire != wires.at(static_cast<std::size_t>(field.kind)))
      throw error("a field has the wrong encoding for InfraGraph");
    if (++values_ > (1U << 20U)) throw error("more than 2^20 values, too many for an InfraGraph");
    if (field.kind == Kind::message) {
      const std::uint64_t size = varint(end);
      if (size > end - at_) throw error("the binary InfraGraph is truncated in a message");
      return read_message(*field.message, at_ + size);
    }
    YamlNode value;
    if (field.kind == Kind::text) value.text = take(varint(end), end);
    if (field.kind == Kind::whole) value.text = std::to_string(static_cast<std::int64_t>(varint(end)));
    if (field.kind == Kind::real) value.text = real(take(4, end));
    if (field.kind == Kind::choice) {
      const std::uint64_t n = varint(end);
      if (n >= field.choices.size()) throw error("a choice that InfraGraph 2.4 does not define");
      value.text = field.choices[n];
    }
    return value;
  }

  static std::string real(std::string_view bytes) {
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < 4; ++i) bits |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), std::bit_cast<float>(bits)).ptr;
    return {text.data(), end};
  }

  static void put(YamlNode& map, const InfraField& field, YamlNode value) {
    const std::string key = field.kind == InfraField::Kind::real ? field.choices[0] : field.key;
    for (std::size_t i = 0; i < map.items.size(); i += 2) {
      if (map.items[i].text != key) continue;
      YamlNode& old = map.items[i + 1];
      if (field.repeated) {
        old.items.push_back(std::move(value));
      } else {
        old = std::move(value);
      }
      return;
    }
    map.items.push_back({.text = key});
    if (!field.repeated) {
      map.items.push_back(std::move(value));
      return;
    }
    map.items.push_back({.kind = YamlNode::Kind::list});
    map.items.back().items.push_back(std::move(value));
  }

  const std::string& file_;
  std::string_view bytes_;
  std::size_t at_ = 0;
  std::uint32_t values_ = 0;
};

}  // namespace

// A document begins with a name, field 1, and its length; then comes the description or a device, field 2 or 3.
bool is_binary_infragraph(std::string_view bytes) {
  if (bytes.size() < 4 || bytes[0] != '\n') return false;
  const auto length = static_cast<unsigned char>(bytes[1]);
  if (length == 0 || length >= 0x80 || bytes.size() < std::size_t{3} + length) return false;
  return bytes[2U + length] == '\x12' || bytes[2U + length] == '\x1a';
}

InfraDocument read_binary_infragraph(const std::string& name, std::string_view bytes) {
  return infragraph_of_tree(name, InfraDecoder(name, bytes).decode());
}

}  // namespace convert
