// SPDX-License-Identifier: MIT
#include "formats/json/objects.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "formats/json/tokens.h"
#include "formats/unknown_fields.h"
#include "util/base64.h"

namespace convert {
namespace {

// Checks that the value begins with `first`.
void must_be(const JsonCursor& in, char first, std::string_view key, const char* what) {
  if (in.peek() == first) return;
  if (in.peek() == '\0') in.fail("a value is expected");  // the window may end here
  throw BadJson{in.here(), (key.empty() ? std::string() : json_quoted(key) + " ") + "must be " + what};
}

// Consumes a scalar, or only the bracket of a list or object, which is not a valid scalar.
std::string_view token(JsonCursor& in) {
  const JsonTokenKind kind = json_token(in.peek());
  if (kind == JsonTokenKind::open_array || kind == JsonTokenKind::open_object) return {in.here(), 1};
  return in.scalar();
}

template <typename T>
T integer(JsonCursor& in, std::string_view key) {
  JsonCursor at = in;
  std::uint64_t value = 0;
  if (at.small_integer(value) && value <= std::uint64_t{std::numeric_limits<T>::max()}) [[likely]] {
    in = at;
    return static_cast<T>(value);
  }
  return json_integer<T>(token(in), key);
}

// The largest number of each kind that small_integer() may read; 0: not applicable.
constexpr auto small_limits = [] {
  std::array<std::uint64_t, 32> limits{};
  for (const Kind k : {Kind::int32_val, Kind::sint32_val, Kind::sfixed32_val}) {
    limits[static_cast<std::size_t>(k)] = std::numeric_limits<std::int32_t>::max();
  }
  for (const Kind k : {Kind::uint32_val, Kind::fixed32_val}) {
    limits[static_cast<std::size_t>(k)] = std::numeric_limits<std::uint32_t>::max();
  }
  for (const Kind k :
       {Kind::int64_val, Kind::sint64_val, Kind::sfixed64_val, Kind::uint64_val, Kind::fixed64_val}) {
    limits[static_cast<std::size_t>(k)] = std::numeric_limits<std::int64_t>::max();
  }
  return limits;
}();

std::uint64_t number(JsonCursor& in, Kind scalar, std::string_view key) {
  JsonCursor at = in;
  std::uint64_t value = 0;
  const std::uint64_t limit = small_limits[static_cast<std::size_t>(scalar)];
  if (limit != 0 && at.small_integer(value) && value <= limit) [[likely]] {
    in = at;
    return value;
  }
  return json_number(token(in), scalar, key);
}

// The keys of an attribute; the key of a kind has the index of the kind.
const auto kind_keys = [] {
  std::array<std::string_view, 33> keys = {"name", "doc_string", "unknown"};
  for (std::size_t i = 3; i < keys.size(); ++i) keys[i] = kind_name(static_cast<Kind>(i));
  return keys;
}();

constexpr auto last_type = static_cast<std::int32_t>(NodeType::comm_coll);

// Sizes of tables, to remove what a node has added.
struct TableMark {
  explicit TableMark(const NodeTable& t)
      : attrs(t.attrs.size()),
        numbers(t.numbers.size()),
        texts(t.texts.size()),
        extras(t.extras.size()),
        text(t.text.size()),
        deps(t.deps.size()),
        io(t.io.size()) {}
  void restore(NodeTable& t) const {
    t.attrs.resize(attrs);
    t.numbers.resize(numbers);
    t.texts.resize(texts);
    t.extras.resize(extras);
    t.text.resize(text);
    t.deps.resize(deps);
    t.io.resize(io);
  }
  std::size_t attrs, numbers, texts, extras, text, deps, io;
};

}  // namespace

struct JsonObjects::State {
  // The text of an attribute up to its value, as seen in an earlier node. If the text occurs again, it is not
  // parsed.
  struct Opening {
    std::string text;
    std::size_t tokens = 0;
    Name name;
    Kind kind = Kind::none;
    // Openings that followed this one, the latest first.
    std::array<Opening*, 3> next{};

    void follow(Opening* by) {
      std::size_t i = 0;
      while (i + 1 < next.size() && next[i] != by) ++i;
      std::rotate(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(i),
                  next.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      next[0] = by;
    }
  };

  void metadata(JsonCursor& in, Metadata& to) {
    static constexpr std::array<std::string_view, 3> known{"version", "attr", "unknown"};
    to.table.clear();
    to.version.clear();
    to.unknown.clear();
    must_be(in, '{', {}, "a JSON object");
    members(in, JsonKeys(known), [&](std::string_view key, std::size_t i) {
      switch (i) {
        case 0: to.version = string(in, key); break;
        case 1: attributes(in, to.table); break;
        default: to.unknown = to.table.view(unknown(in, ProtoMessage::metadata, Kind::none, to.table));
      }
    });
  }

  bool node(JsonCursor& in, Rank rank, NodeTable& to) {
    static constexpr std::array<std::string_view, 13> known{
        "rank",   "id",      "name", "type",    "ctrl_deps", "data_deps", "start_time_micros", "duration_micros",
        "inputs", "outputs", "attr", "unknown", "metadata"};
    JsonKeys keys(known);
    Node n;
    n.attrs.begin = static_cast<std::uint32_t>(to.attrs.size());
    Rank given_rank = rank;
    const char* rank_at = nullptr;
    must_be(in, '{', {}, "a JSON object");
    in.next();
    for (bool more = !in.take('}'); more; more = in.take(',') || (in.expect('}'), false)) {
      const std::string_view key = in.string();
      in.expect(':');
      switch (keys.index(plain(key, key_text))) {
        case 0:
          given_rank = integer<std::uint32_t>(in, key);
          rank_at = key.data();
          break;
        case 1: n.id = integer<std::uint64_t>(in, key); break;
        case 2: n.name = to.add_text(string(in, key)); break;
        case 3: n.type = type(in); break;
        case 4: dependencies(in, key, n.ctrl_deps, to); break;
        case 5: dependencies(in, key, n.data_deps, to); break;
        case 6: n.start_us = integer<std::uint64_t>(in, key); break;
        case 7: n.duration_us = integer<std::uint64_t>(in, key); break;
        case 8: io(in, key, n.inputs, to); break;
        case 9: io(in, key, n.outputs, to); break;
        case 10: attributes(in, to); break;
        case 11: {
          Extra extra;
          extra.unknown = unknown(in, ProtoMessage::node, Kind::none, to);
          to.extras.push_back(extra);
          n.extra = static_cast<std::uint32_t>(to.extras.size());
          break;
        }
        default: return false;
      }
    }
    if (given_rank != rank) {
      throw BadJson{rank_at, "a node of rank " + std::to_string(given_rank) + " among the nodes of rank " +
                                 std::to_string(rank)};
    }
    to.nodes.push_back(n);
    to.end_node();
    return true;
  }

  std::optional<Rank> head(JsonCursor& in, Metadata& to) {
    static constexpr std::array<std::string_view, 2> known{"rank", "metadata"};
    std::optional<Rank> rank;
    must_be(in, '{', {}, "a JSON object");
    members(in, JsonKeys(known), [&](std::string_view key, std::size_t i) {
      if (i == 0) {
        rank = integer<std::uint32_t>(in, key);
      } else {
        must_be(in, '{', key, "an object");
        metadata(in, to);
      }
    });
    return rank;
  }

  // Calls take(key, index of the key in `keys`) for each member of an object.
  template <typename Take>
  void members(JsonCursor& in, JsonKeys keys, const Take& take, std::size_t guess = 0) {
    in.object([&] {
      const std::string_view key = in.string();
      in.expect(':');
      take(key, keys.index(plain(key, key_text), guess));
    });
  }

  // Returns a text with escapes resolved; stored in `scratch` if there are escapes.
  static std::string_view plain(std::string_view raw, std::string& scratch) {
    if (raw.find('\\') == std::string_view::npos) [[likely]]
      return raw;
    scratch.clear();
    append_unescaped(scratch, raw, LoneSurrogates::refused);
    return scratch;
  }

  // Consumes a string; the result is valid until the next call.
  std::string_view string(JsonCursor& in, std::string_view key) {
    must_be(in, '"', key, "a string");
    return plain(in.string(), text);
  }

  NodeType type(JsonCursor& in) {
    if (in.peek() != '"') return NodeType{integer<std::int32_t>(in, "type")};
    JsonCursor at = in;
    const std::string_view name = at.string();
    for (std::int32_t i = 0; i <= last_type; ++i) {
      if (type_names[static_cast<std::size_t>(i)] != name) continue;
      in = at;
      return NodeType{i};
    }
    if (!name.empty() && name[0] <= '9') return NodeType{integer<std::int32_t>(in, "type")};
    const std::string near = nearest(name, std::vector<std::string>(type_names.begin(), type_names.end()));
    throw BadJson{in.here(), "unknown node type " + json_quoted(name) +
                                 (near.empty() ? "" : "; did you mean '" + near + "'?")};
  }

  void attributes(JsonCursor& in, AttrTable& to) {
    must_be(in, '[', "attr", "an array");
    Opening* before = &first;
    in.array([&] { before = attribute(in, before, to); });
  }

  // Reads the attribute after the one with opening `before`, and returns its opening.
  Opening* attribute(JsonCursor& in, Opening* before, AttrTable& to) {
    const JsonCursor begin = in;
    for (Opening* o : before->next) {
      if (o == nullptr || !in.starts_with(o->text)) continue;
      in.skip_tokens(o->tokens);
      Attr a{.name = o->name, .kind = o->kind};
      Text list_unknown;
      const std::size_t numbers = to.numbers.size(), texts = to.texts.size(), text_end = to.text.size();
      attribute_value(in, a, list_unknown, to);
      if (list_unknown.size == 0 && in.take('}')) [[likely]] {
        to.attrs.push_back(a);
        if (o != before->next[0]) before->follow(o);
        return o;
      }
      // The attribute has more members, so it is parsed in full.
      to.numbers.resize(numbers);
      to.texts.resize(texts);
      to.text.resize(text_end);
      in = begin;
      break;
    }
    return any_attribute(in, before, to);
  }

  Opening* any_attribute(JsonCursor& in, Opening* before, AttrTable& to) {
    const JsonCursor begin = in;
    JsonCursor value;  // cursor after a name and the key of a kind
    std::size_t count = 0;
    Attr a;
    Extra extra;
    must_be(in, '{', "attr", "an object");
    members(in, JsonKeys(kind_keys), [&](std::string_view key, std::size_t i) {
      ++count;
      if (i == 0) {
        a.name = Name(string(in, key));
      } else if (i == 1) {
        extra.doc_string = to.add_text(string(in, key));
      } else if (i == 2) {
        extra.unknown = unknown(in, ProtoMessage::attribute, Kind::none, to);
      } else if (a.kind != Kind::none) {
        throw BadJson{key.data(), "an attribute with two values"};
      } else {
        a.kind = static_cast<Kind>(i);
        value = in;
        attribute_value(in, a, extra.list_unknown, to);
      }
    });
    const bool rare = extra.doc_string.size != 0 || extra.unknown.size != 0 || extra.list_unknown.size != 0;
    if (rare) {
      to.extras.push_back(extra);
      a.extra = static_cast<std::uint32_t>(to.extras.size());
    }
    to.attrs.push_back(a);
    if (rare || count != 2 || a.kind == Kind::none || a.name == Name()) return &first;
    return learn(a, begin, value, before);
  }

  // Stores the opening of an attribute whose value is the last of its two members.
  Opening* learn(const Attr& a, const JsonCursor& begin, const JsonCursor& value, Opening* before) {
    constexpr std::size_t longest = 256;
    const std::string_view opening(begin.here(), static_cast<std::size_t>(value.here() - begin.here()));
    if (value.tokens_since(begin) != 7 || opening.size() > longest) return &first;
    Opening& o = openings[(std::size_t{31} * a.name.index() + static_cast<std::size_t>(a.kind)) % openings.size()];
    if (o.text != opening) {
      o.text = opening;
      o.tokens = 7;  // { "name" : "…" , "kind" :
      o.name = a.name;
      o.kind = a.kind;
    }
    before->follow(&o);
    return &o;
  }

  void attribute_value(JsonCursor& in, Attr& a, Text& list_unknown, AttrTable& to) {
    if (is_list(a.kind)) {
      must_be(in, '{', kind_name(a.kind), "an object");
      list(in, a, list_unknown, to);
    } else if (is_text(a.kind)) {
      const Text t = to.add_text(one_text(in, a.kind));
      a.bits = t.offset;
      a.size = t.size;
    } else {
      a.bits = number(in, a.kind, kind_name(a.kind));
    }
  }

  // Consumes a string or bytes.
  std::string_view one_text(JsonCursor& in, Kind kind) {
    return kind == Kind::string_val ? string(in, kind_name(kind)) : std::string_view(base64(in, kind_name(kind)));
  }

  void list(JsonCursor& in, Attr& a, Text& unknown_fields, AttrTable& to) {
    static constexpr std::array<std::string_view, 2> known{"values", "unknown"};
    const Kind scalar = scalar_of(a.kind);
    a.bits = is_text(a.kind) ? to.texts.size() : to.numbers.size();
    members(in, JsonKeys(known), [&](std::string_view, std::size_t i) {
      if (i == 1) {
        unknown_fields = unknown(in, ProtoMessage::list, a.kind, to);
        return;
      }
      must_be(in, '[', kind_name(a.kind), "an array");
      in.array([&] {
        if (is_text(scalar)) {
          to.texts.push_back(to.add_text(one_text(in, scalar)));
        } else {
          to.numbers.push_back(number(in, scalar, kind_name(a.kind)));
        }
        ++a.size;
      });
    });
  }

  static void dependencies(JsonCursor& in, std::string_view key, Range& range, NodeTable& to) {
    range.begin = static_cast<std::uint32_t>(to.deps.size());
    must_be(in, '[', key, "an array");
    in.array([&] {
      to.deps.push_back(integer<std::uint64_t>(in, key));
      ++range.count;
    });
  }

  void io(JsonCursor& in, std::string_view key, std::uint32_t& index, NodeTable& to) {
    static constexpr std::array<std::string_view, 4> known{"values", "shapes", "types", "unknown"};
    IoInfo io;
    must_be(in, '{', key, "an object");
    members(in, JsonKeys(known), [&](std::string_view k, std::size_t i) {
      switch (i) {
        case 0: io.values = to.add_text(string(in, k)); break;
        case 1: io.shapes = to.add_text(string(in, k)); break;
        case 2: io.types = to.add_text(string(in, k)); break;
        default: io.unknown = unknown(in, ProtoMessage::io, Kind::none, to);
      }
    });
    to.io.push_back(io);
    index = static_cast<std::uint32_t>(to.io.size());
  }

  const std::string& base64(JsonCursor& in, std::string_view key) {
    bytes.clear();
    const char* const at = in.here();
    if (!decode_base64(string(in, key), bytes)) throw BadJson{at, json_quoted(key) + " must be base64"};
    return bytes;
  }

  Text unknown(JsonCursor& in, ProtoMessage message, Kind list_kind, AttrTable& to) {
    const char* const at = in.here();
    if (!only_unknown_fields(message, list_kind, base64(in, "unknown"))) {
      throw BadJson{at, "'unknown' does not hold unknown fields of this message"};
    }
    return to.add_text(bytes);
  }

  const std::array<std::string_view, last_type + 1> type_names = [] {
    std::array<std::string_view, last_type + 1> names;
    for (std::int32_t i = 0; i <= last_type; ++i) names[static_cast<std::size_t>(i)] = node_type_name(NodeType{i});
    return names;
  }();
  Opening first;  // precedes the opening of a node's first attribute
  std::array<Opening, 256> openings;
  std::string key_text;
  std::string text;
  std::string bytes;
};

JsonObjects::JsonObjects() : state_(std::make_unique<State>()) {}
JsonObjects::~JsonObjects() = default;

void JsonObjects::metadata(JsonCursor& in, Metadata& to) { state_->metadata(in, to); }

bool JsonObjects::node(JsonCursor& in, Rank rank, NodeTable& to) {
  const TableMark mark(to);
  try {
    if (state_->node(in, rank, to)) return true;
  } catch (const JsonCursor::OutOfWindow&) {
    mark.restore(to);
    throw;
  }
  mark.restore(to);
  return false;
}

std::optional<Rank> JsonObjects::head(JsonCursor& in, Metadata& to) { return state_->head(in, to); }

}  // namespace convert
