// SPDX-License-Identifier: MIT
// For tests of et-split on sets: their bytes as on disk.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/held_set.h"
#include "formats/chakra/stream.h"
#include "io/input.h"
#include "sets/derived/splitting.h"
#include "sets/source.h"

namespace convert::test {

// Each rank's number and its .et file, ascending, and the groups file.
struct SetBytes {
  std::vector<std::pair<Rank, std::string>> ranks;
  std::string groups;
  friend bool operator==(const SetBytes&, const SetBytes&) = default;
};

inline std::string et_bytes(const Trace& trace) {
  std::string out;
  ChakraEncoder encoder;
  encoder.metadata(trace.metadata, out);
  encoder.nodes(trace.nodes, out);
  return out;
}

inline SetBytes set_bytes(SetSource& set) {
  SetBytes out;
  for (const Trace& t : set.load(1)) out.ranks.emplace_back(t.rank, et_bytes(t));
  if (const auto groups = set.groups()) out.groups = groups->json;
  return out;
}

// The set joined into one trace, written, read, and split again.
inline SetBytes joined_and_split(SetSource& set) {
  Diagnostics diagnostics;
  JoinedSet joined(set, 1);
  const std::string file = et_bytes(joined.load(1).at(0));
  const auto input = memory_input("system.et", file);
  const auto reader = find_format("chakra").read(
      ReadContext{.input = *input, .rank = {}, .options = FormatOptions(), .diagnostics = diagnostics});
  Trace system;
  (void)reader->next_rank(system);
  read_nodes(*reader, system);
  std::vector<Trace> one;
  one.push_back(std::move(system));
  HeldSet held(std::move(one));
  SplitSet split(held, {}, diagnostics);
  return set_bytes(split);
}

// Contents of traces of a task graph, independent of ids and tags: by rank, task and type of node, its name, time,
// attributes, and dependencies.
using TaskNode = std::tuple<Rank, std::int64_t, NodeType>;
struct TaskFacts {
  std::string text;
  std::multiset<TaskNode> parents;
  friend bool operator==(const TaskFacts&, const TaskFacts&) = default;
};

inline std::map<TaskNode, TaskFacts> tasks_of(SetSource& set) {
  std::map<TaskNode, TaskFacts> out;
  for (const Trace& t : set.load(1)) {
    std::map<NodeId, TaskNode> nodes;
    for (const Node& n : t.nodes.nodes)
      nodes[n.id] = {t.rank, int_value(t.nodes.attributes(n), attr::task_id).value, n.type};
    for (const Node& n : t.nodes.nodes) {
      TaskFacts& facts = out[nodes.at(n.id)];
      for (const NodeId id : t.nodes.data_deps(n)) facts.parents.insert(nodes.at(id));
      facts.text =
          std::string(t.nodes.name(n)) + " " + std::to_string(n.start_us) + " " + std::to_string(n.duration_us);
      for (const Attr& a : t.nodes.attributes(n)) {
        facts.text += " " + std::string(a.name.view()) + "=";
        if (a.name != attr::comm_tag) facts.text += is_text(a.kind) ? t.nodes.string(a) : std::to_string(a.bits);
      }
    }
  }
  return out;
}

}  // namespace convert::test
