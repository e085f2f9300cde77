// SPDX-License-Identifier: MIT
// Format feeder-json: JSON that Chakra's C++ feeder reads instead of an .et file, {"workload_graph": [node, …]},
// one file per rank. Keys as in mlcommons/chakra, src/feeder/json_node.cpp.
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "formats/format.h"
#include "formats/json/head.h"
#include "formats/json/stream.h"
#include "formats/json/tokens.h"
#include "formats/whole_ranks.h"
#include "io/set_path.h"

namespace convert {
namespace {

constexpr std::string_view graph_key = "workload_graph";

// Keys that become attributes with the same name.
struct AttrKey {
  std::string_view key;
  Name name;
  Kind kind;
};
const std::array attr_keys = {
    AttrKey{"is_cpu_op", attr::is_cpu_op, Kind::bool_val},
    AttrKey{"num_ops", attr::num_ops, Kind::int64_val},
    AttrKey{"tensor_size", attr::tensor_size, Kind::uint64_val},
    AttrKey{"comm_type", attr::comm_type, Kind::int64_val},
    AttrKey{"comm_priority", attr::comm_priority, Kind::int32_val},
    AttrKey{"comm_size", attr::comm_size, Kind::int64_val},
    AttrKey{"comm_src", attr::comm_src, Kind::int32_val},
    AttrKey{"comm_dst", attr::comm_dst, Kind::int32_val},
    AttrKey{"comm_tag", attr::comm_tag, Kind::int32_val},
};

class Items final : public JsonItems {
 public:
  Items(Trace& to, JsonStream& stream) : to_(to), stream_(stream) {}

  void member(std::string_view key, JsonCursor& in) override {
    (void)in.value();
    note_unknown(key);
  }

  // Reads the whole node before it stores any field: the window may end within the node.
  void element(JsonCursor& in) override {
    const char* const at = in.here();
    Fields f;
    in.object([&] {
      const std::string_view key = in.string();
      in.expect(':');
      if (read_field(key, in, f)) return;
      (void)in.value();
      f.unknown.push_back(key);
    });
    for (const auto& [field, key] : {std::pair{f.id, "Id"}, std::pair{f.type, "NodeType"}}) {
      if (field.data() == nullptr) throw BadJson{at, std::string("a node without '") + key + "'"};
    }
    if (!f.has_parents) throw BadJson{at, "a node without 'data_deps'"};
    const auto id = json_integer<std::uint64_t>(f.id, "Id");
    const auto type = static_cast<NodeType>(json_integer<std::int32_t>(f.type, "NodeType"));
    const auto runtime = f.runtime.data() == nullptr ? 0 : json_integer<std::uint64_t>(f.runtime, "runtime");
    std::string_view name;
    if (f.name.data() != nullptr) {
      if (f.name.front() != '"') throw BadJson{f.name.data(), "'Name' must be a string"};
      name = unescaped(f.name.substr(1, f.name.size() - 2), scratch_);
    }
    NodeTable& t = to_.nodes;
    t.positions.push_back(stream_.line_of(at));
    t.add_node(id, type, name).duration_us = runtime;
    for (const NodeId parent : f.parents) t.add_data_dep(parent);
    for (const auto& [key, bits] : f.attrs) t.attrs.push_back({.name = key->name, .kind = key->kind, .bits = bits});
    t.end_node();
    for (const std::string_view key : f.unknown) note_unknown(key);
  }

  void undo() override {}
  void warn(const std::string& file, Diagnostics& diagnostics) const {
    for (const auto& [key, n] : unknown_)
      diagnostics.warning({.file = file}, "framing",
                          "key '" + key + "' is unknown to Chakra's feeder and is omitted (" + std::to_string(n) +
                              (n == 1 ? " time)" : " times)"));
  }

 private:
  struct Fields {
    std::string_view id, name, type, runtime;
    std::vector<std::pair<const AttrKey*, std::uint64_t>> attrs;
    std::vector<NodeId> parents;
    bool has_parents = false;
    std::vector<std::string_view> unknown;
  };

  static bool read_field(std::string_view key, JsonCursor& in, Fields& f) {
    const auto once = [&](std::string_view& field) {
      if (field.data() != nullptr) throw BadJson{key.data(), "the key '" + std::string(key) + "' is given twice"};
      field = in.scalar();
      return true;
    };
    if (key == "Id") return once(f.id);
    if (key == "Name") return once(f.name);
    if (key == "NodeType") return once(f.type);
    if (key == "runtime") return once(f.runtime);
    if (key == "data_deps") {
      f.has_parents = true;
      in.array([&] { f.parents.push_back(json_integer<std::uint64_t>(in.scalar(), key)); });
      return true;
    }
    for (const AttrKey& a : attr_keys) {
      if (key != a.key) continue;
      f.attrs.emplace_back(&a, json_number(in.scalar(), a.kind, key));
      return true;
    }
    return false;
  }

  void note_unknown(std::string_view key) { ++unknown_[std::string(key)]; }

  Trace& to_;
  JsonStream& stream_;
  std::string scratch_;
  std::map<std::string, std::uint64_t> unknown_;
};

// Returns the rank in a name such as "w.3.json".
std::optional<Rank> rank_in(std::string_view name) {
  const std::string stem(file_name_part(name).substr(0, file_name_part(name).rfind(".json")));
  return rank_of(stem + ".et");
}

// Reads the only rank of the file; uses `unnamed` if the file name has no rank.
void read_rank(Input& input, Rank unnamed, Diagnostics& diagnostics, Trace& out) {
  out.rank = rank_in(input.name()).value_or(unnamed);
  out.name = input.name();
  out.metadata = {};
  out.metadata.version = schema_version;
  out.nodes.clear();
  out.nodes.positions_are_lines = true;
  JsonStream stream(input, graph_key, false);
  Items items(out, stream);
  stream.read_all(items);
  if (!stream.seen_array()) throw input_error({.file = input.name()}, "'workload_graph' is missing");
  items.warn(input.name(), diagnostics);
}

bool sniff(std::string_view head) {
  JsonHead json(head);
  return json.open('{') && json.has_key({graph_key});
}

std::unique_ptr<TraceReader> read(const ReadContext& context) {
  return std::make_unique<WholeRanks>([&input = context.input, &diagnostics = context.diagnostics,
                                       rank = context.rank.value_or(0), begun = false](Trace& out) mutable {
    if (std::exchange(begun, true)) return false;
    read_rank(input, rank, diagnostics, out);
    return true;
  });
}

}  // namespace

extern const Format feeder_json_format;
const Format feeder_json_format = {
    .name = "feeder-json",
    .summary = "JSON of Chakra's feeder (workload_graph), one file per rank",
    .sniff = sniff,
    .read = read,
    .imported = true,
    .file_per_rank = true,
};

}  // namespace convert
