// SPDX-License-Identifier: MIT
#include "anonymize/table.h"

#include <set>
#include <utility>

#include "passes/anonymize/kept.h"
#include "passes/anonymize/names.h"
#include "util/json_writer.h"

namespace tools {

using namespace convert;

namespace {

using NameSet = std::set<std::string, std::less<>>;

void add_name(std::string_view name, NameSet& to) {
  if (!name.empty() && !to.contains(name)) to.emplace(name);
}

void add_names(const NodeTable& nodes, NameSet& to) {
  for (const Node& n : nodes.nodes) {
    add_name(hashed_part(nodes.name(n)), to);
    for (const Attr& a : nodes.attributes(n)) {
      if (role_of(a.name) != AttributeRole::tensors || a.kind != Kind::string_list) continue;
      const auto texts = nodes.string_list(a);
      for (std::size_t i = 0; i < texts.size(); i += 2) add_name(nodes.view(texts[i]), to);
    }
  }
}

}  // namespace

std::string name_table(SetSource& set, const KeyedHash& hash, unsigned jobs) {
  NameSet names;
  set.for_each_rank(
      jobs,
      [](TraceReader& reader, Trace& trace) {
        NameSet own;
        while (reader.next_nodes(trace, batch_nodes)) add_names(trace.nodes, own);
        return own;
      },
      [&](NameSet&& own) { names.merge(own); });
  std::string json;
  JsonWriter w(json);
  w.begin_object();
  for (const std::string& name : names) w.line(1).key(name).value(keyed_name(hash, name));
  w.line().end_object();
  json += '\n';
  return json;
}

}  // namespace tools
