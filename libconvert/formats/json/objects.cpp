// SPDX-License-Identifier: MIT
#include "formats/json/objects.h"

#include <simdjson.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "formats/json/tokens.h"
#include "formats/unknown_fields.h"
#include "util/base64.h"

namespace convert {
namespace {

using simdjson::ondemand::field;
using simdjson::ondemand::object;
using simdjson::ondemand::value;

constexpr std::size_t max_text = 0xffffffffU - simdjson::SIMDJSON_PADDING;  // what simdjson can index

// Returns a scalar as it stands in the text, or the first character of an object or array.
std::string_view peek_token(value& v) {
  std::string_view t = v.raw_json_token();
  while (!t.empty() && (t.back() == ' ' || t.back() == '\n' || t.back() == '\r' || t.back() == '\t'))
    t.remove_suffix(1);
  return t;
}

// Does the same and consumes it: simdjson takes a skipped string before ':' for a key and loses its depth.
std::string_view token_of(value& v) {
  const std::string_view t = peek_token(v);
  if (t.starts_with('"')) (void)v.get_raw_json_string().value();
  return t;
}

const char* place_of(value& v) {
  const char* at = nullptr;
  return v.current_location().get(at) == simdjson::SUCCESS ? at : nullptr;
}

// Returns a string that nothing has consumed yet; it is valid until the next document.
std::string_view string_of(value& v, std::string_view key) {
  const std::string_view t = peek_token(v);
  if (!is_json_string(t)) throw BadJson{t.data(), json_quoted(key) + " must be a string"};
  if (std::memchr(t.data(), '\\', t.size()) != nullptr) return v.get_string().value();
  (void)v.get_raw_json_string().value();
  return t.substr(1, t.size() - 2);
}

std::string_view key_of(field& f) {
  const char* const begin = f.key().raw();
  const char* end = begin;
  while (*end != '"') {
    if (*end++ == '\\') return f.unescaped_key().value();
  }
  return {begin, static_cast<std::size_t>(end - begin)};
}

object object_of(value& v, std::string_view key) {
  object o;
  if (v.get_object().get(o) != simdjson::SUCCESS)
    throw BadJson{place_of(v), json_quoted(key) + " must be an object"};
  return o;
}

simdjson::ondemand::array array_of(value& v, std::string_view key) {
  simdjson::ondemand::array a;
  if (v.get_array().get(a) != simdjson::SUCCESS) throw BadJson{place_of(v), json_quoted(key) + " must be an array"};
  return a;
}

// Calls take(key, value, the key's place among the known ones) for each member; tries `guess` for the place first.
template <typename Take>
void for_members(object& o, JsonKeys keys, const Take& take, std::size_t guess = 0) {
  for (auto member : o) {
    field f = std::move(member).take_value();
    const std::string_view key = key_of(f);
    value v = f.value();
    take(key, v, keys.index(key, guess));
  }
}

// The keys of an attribute: those of kinds stand at the number of the kind.
const auto kind_keys = [] {
  std::array<std::string_view, 33> keys = {"name", "doc_string", "unknown"};
  for (std::size_t i = 3; i < keys.size(); ++i) keys[i] = kind_name(static_cast<Kind>(i));
  return keys;
}();

NodeType type_of(value& v) {
  const std::string_view token = token_of(v);
  if (!is_json_string(token) || (token.size() > 2 && token[1] <= '9'))
    return NodeType{json_integer<std::int32_t>(token, "type")};
  const std::string_view name = token.substr(1, token.size() - 2);
  constexpr auto last = static_cast<std::int32_t>(NodeType::comm_coll);
  for (std::int32_t i = 0; i <= last; ++i) {
    if (node_type_name(NodeType{i}) == name) return NodeType{i};
  }
  std::vector<std::string> names;
  for (std::int32_t i = 0; i <= last; ++i) names.emplace_back(node_type_name(NodeType{i}));
  const std::string near = nearest(name, names);
  throw BadJson{token.data(),
                "unknown node type " + json_quoted(name) + (near.empty() ? "" : "; did you mean '" + near + "'?")};
}

}  // namespace

struct JsonObjects::State {
  void metadata(object o, Metadata& to) {
    static constexpr std::array<std::string_view, 3> known{"version", "attr", "unknown"};
    to.table.clear();
    to.version.clear();
    to.unknown.clear();
    for_members(o, JsonKeys(known), [&](std::string_view key, value& v, std::size_t i) {
      switch (i) {
        case 0: to.version = string_of(v, key); break;
        case 1: attributes(v, to.table); break;
        default: to.unknown = to.table.view(unknown(v, ProtoMessage::metadata, Kind::none, to.table));
      }
    });
  }

  bool node(object o, Rank rank, NodeTable& to) {
    static constexpr std::array<std::string_view, 13> known{
        "rank",   "id",      "name", "type",    "ctrl_deps", "data_deps", "start_time_micros", "duration_micros",
        "inputs", "outputs", "attr", "unknown", "metadata"};
    JsonKeys keys(known);
    Node n;
    n.attrs.begin = static_cast<std::uint32_t>(to.attrs.size());
    Rank given_rank = rank;
    const char* rank_at = nullptr;
    for (auto member : o) {
      field f = std::move(member).take_value();
      const std::string_view key = key_of(f);
      value v = f.value();
      switch (keys.index(key)) {
        case 0:
          given_rank = json_integer<std::uint32_t>(token_of(v), key);
          rank_at = key.data();
          break;
        case 1: n.id = json_integer<std::uint64_t>(token_of(v), key); break;
        case 2: n.name = to.add_text(string_of(v, key)); break;
        case 3: n.type = type_of(v); break;
        case 4: dependencies(v, key, n.ctrl_deps, to); break;
        case 5: dependencies(v, key, n.data_deps, to); break;
        case 6: n.start_us = json_integer<std::uint64_t>(token_of(v), key); break;
        case 7: n.duration_us = json_integer<std::uint64_t>(token_of(v), key); break;
        case 8: io(v, key, n.inputs, to); break;
        case 9: io(v, key, n.outputs, to); break;
        case 10: attributes(v, to); break;
        case 11: {
          Extra extra;
          extra.unknown = unknown(v, ProtoMessage::node, Kind::none, to);
          to.extras.push_back(extra);
          n.extra = static_cast<std::uint32_t>(to.extras.size());
          break;
        }
        default: return false;
      }
    }
    if (given_rank != rank) {
      throw BadJson{
          rank_at, "a node of rank " + std::to_string(given_rank) + " among those of rank " + std::to_string(rank)};
    }
    to.nodes.push_back(n);
    to.end_node();
    return true;
  }

  std::optional<Rank> head(object o, Metadata& to) {
    static constexpr std::array<std::string_view, 2> known{"rank", "metadata"};
    std::optional<Rank> rank;
    for_members(o, JsonKeys(known), [&](std::string_view key, value& v, std::size_t i) {
      if (i == 0) {
        rank = json_integer<std::uint32_t>(token_of(v), key);
      } else {
        metadata(object_of(v, key), to);
      }
    });
    return rank;
  }

  // `work` gets the object and says whether it has read all of it.
  template <typename Work>
  bool parse(std::string_view text, Work work) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos || text[begin] != '{') throw BadJson{text.data(), "must be a JSON object"};
    simdjson::ondemand::document document;
    try {
      if (text.size() > max_text) throw BadJson{text.data(), "a JSON object of 4 GiB or more"};
      document = parser.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING).value();
      if (!work(document.get_object().value())) return false;
      const char* rest = nullptr;
      if (document.current_location().get(rest) == simdjson::SUCCESS) {
        throw BadJson{rest, "more text behind the object"};
      }
      return true;
    } catch (const simdjson::simdjson_error& e) {
      if (e.error() == simdjson::MEMALLOC) throw std::bad_alloc();
      const char* at = text.data();
      if (document.is_alive() && document.current_location().get(at) != simdjson::SUCCESS) at = text.data();
      throw BadJson{at, std::string("malformed JSON: ") + e.what()};
    }
  }

  struct Seen {
    std::string text;
    Name name;
    Kind kind = Kind::none;
  };

  void attributes(value& v, AttrTable& to) {
    std::size_t position = 0;
    for (auto element : array_of(v, "attr")) {
      value a = element.value();
      attribute(object_of(a, "attr"), position++, to);
    }
  }

  void attribute(object o, std::size_t position, AttrTable& to) {
    Attr a;
    Extra extra;
    Seen& predicted = seen[position % seen.size()];
    const auto take = [&](std::string_view key, value& v, std::size_t i) {
      if (i == 0) {
        a.name = intern(string_of(v, key), predicted);
      } else if (i == 1) {
        extra.doc_string = to.add_text(string_of(v, key));
      } else if (i == 2) {
        extra.unknown = unknown(v, ProtoMessage::attribute, Kind::none, to);
      } else if (a.kind != Kind::none) {
        throw BadJson{key.data(), "an attribute with two values"};
      } else {
        a.kind = static_cast<Kind>(i);
        attribute_value(v, a, extra.list_unknown, to);
      }
    };
    for_members(o, JsonKeys(kind_keys), take, static_cast<std::size_t>(predicted.kind));
    if (extra.doc_string.size != 0 || extra.unknown.size != 0 || extra.list_unknown.size != 0) {
      to.extras.push_back(extra);
      a.extra = static_cast<std::uint32_t>(to.extras.size());
    }
    predicted.kind = a.kind;
    to.attrs.push_back(a);
  }

  void attribute_value(value& v, Attr& a, Text& list_unknown, AttrTable& to) {
    const std::string_view key = kind_name(a.kind);
    if (is_list(a.kind)) {
      list(object_of(v, key), a, list_unknown, to);
    } else if (is_text(a.kind)) {
      const Text t = to.add_text(a.kind == Kind::string_val ? string_of(v, key) : base64(v, key));
      a.bits = t.offset;
      a.size = t.size;
    } else {
      a.bits = json_number(token_of(v), a.kind, key);
    }
  }

  void list(object o, Attr& a, Text& unknown_fields, AttrTable& to) {
    static constexpr std::array<std::string_view, 2> known{"values", "unknown"};
    const Kind scalar = scalar_of(a.kind);
    a.bits = is_text(a.kind) ? to.texts.size() : to.numbers.size();
    for_members(o, JsonKeys(known), [&](std::string_view, value& v, std::size_t i) {
      if (i == 1) {
        unknown_fields = unknown(v, ProtoMessage::list, a.kind, to);
        return;
      }
      for (auto element : array_of(v, kind_name(a.kind))) {
        value item = element.value();
        if (!is_text(scalar)) {
          to.numbers.push_back(json_number(token_of(item), scalar, kind_name(a.kind)));
        } else if (scalar == Kind::string_val) {
          to.texts.push_back(to.add_text(string_of(item, kind_name(a.kind))));
        } else {
          to.texts.push_back(to.add_text(base64(item, kind_name(a.kind))));
        }
        ++a.size;
      }
    });
  }

  void dependencies(value& v, std::string_view key, Range& range, NodeTable& to) {
    range.begin = static_cast<std::uint32_t>(to.deps.size());
    for (auto element : array_of(v, key)) {
      value id = element.value();
      to.deps.push_back(json_integer<std::uint64_t>(token_of(id), key));
      ++range.count;
    }
  }

  void io(value& v, std::string_view key, std::uint32_t& index, NodeTable& to) {
    static constexpr std::array<std::string_view, 4> known{"values", "shapes", "types", "unknown"};
    IoInfo io;
    object o = object_of(v, key);
    for_members(o, JsonKeys(known), [&](std::string_view k, value& part, std::size_t i) {
      switch (i) {
        case 0: io.values = to.add_text(string_of(part, k)); break;
        case 1: io.shapes = to.add_text(string_of(part, k)); break;
        case 2: io.types = to.add_text(string_of(part, k)); break;
        default: io.unknown = unknown(part, ProtoMessage::io, Kind::none, to);
      }
    });
    to.io.push_back(io);
    index = static_cast<std::uint32_t>(to.io.size());
  }

  static Name intern(std::string_view text, Seen& predicted) {
    if (predicted.text != text) {
      predicted.name = Name(text);
      predicted.text = text;
    }
    return predicted.name;
  }

  const std::string& base64(value& v, std::string_view key) {
    bytes.clear();
    const char* const at = peek_token(v).data();
    const std::string_view text = string_of(v, key);
    if (!decode_base64(text, bytes)) throw BadJson{at, json_quoted(key) + " must be base64"};
    return bytes;
  }

  Text unknown(value& v, ProtoMessage message, Kind list_kind, AttrTable& to) {
    const char* const at = peek_token(v).data();
    if (!only_unknown_fields(message, list_kind, base64(v, "unknown"))) {
      throw BadJson{at, "'unknown' does not hold unknown fields of this message"};
    }
    return to.add_text(bytes);
  }

  simdjson::ondemand::parser parser;
  std::array<Seen, 32> seen;  // by position in the node: what the previous node had there
  std::string bytes;
};

JsonObjects::JsonObjects() : state_(std::make_unique<State>()) {}
JsonObjects::~JsonObjects() = default;

std::size_t JsonObjects::padding() { return simdjson::SIMDJSON_PADDING; }

void JsonObjects::metadata(std::string_view text, Metadata& to) {
  state_->parse(text, [&](object o) {
    state_->metadata(o, to);
    return true;
  });
}

bool JsonObjects::node(std::string_view text, Rank rank, NodeTable& to) {
  return state_->parse(text, [&](object o) { return state_->node(o, rank, to); });
}

std::optional<Rank> JsonObjects::head(std::string_view text, Metadata& to) {
  std::optional<Rank> rank;
  state_->parse(text, [&](object o) {
    rank = state_->head(o, to);
    return true;
  });
  return rank;
}

}  // namespace convert
