// SPDX-License-Identifier: MIT
#include "common/node_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "io/output.h"
#include "sets/source.h"
#include "util/utf8.h"

namespace tools {
namespace {

using namespace convert;

using Names = std::map<std::pair<Rank, NodeId>, std::string>;

// Returns the name in the form that messages show.
std::string shown(std::string_view name) {
  constexpr std::size_t most_bytes = 48;
  std::string cut = cut_text(name, most_bytes);
  return is_readable(cut) ? cut : "";
}

Names names_in(TraceReader& reader, Trace& trace, const std::map<Rank, std::set<NodeId>>& wanted) {
  Names names;
  const auto of_rank = wanted.find(trace.rank);
  while (reader.next_nodes(trace, batch_nodes)) {
    if (of_rank == wanted.end()) continue;
    for (const Node& n : trace.nodes.nodes) {
      if (of_rank->second.contains(n.id)) names.emplace(std::pair(trace.rank, n.id), shown(trace.nodes.name(n)));
    }
  }
  return names;
}

}  // namespace

void look_up_names(const InputOptions& input, Context& context, std::size_t most, std::vector<WaitingNode>& nodes) {
  const std::vector<std::string> operands = inputs(input);
  if (std::any_of(operands.begin(), operands.end(), [](const auto& o) { return o == "-" || is_stream_path(o); }))
    return;
  const std::size_t count = most == 0 ? nodes.size() : std::min(most, nodes.size());
  std::map<Rank, std::set<NodeId>> wanted;
  for (std::size_t i = 0; i < count; ++i) wanted[nodes[i].node.rank].insert(nodes[i].node.node);
  Diagnostics unheard;  // the first reading has reported them
  Names names;
  try {
    TraceSource source(source_options(input, context), unheard);
    if (!source.prepare(false)) return;
    source.for_each_rank(
        context.jobs(), [&](TraceReader& reader, Trace& head) { return names_in(reader, head, wanted); },
        [&](Names&& of_rank) { names.merge(of_rank); });
  } catch (const Error&) {
    return;  // the files have changed since
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto name = names.find({nodes[i].node.rank, nodes[i].node.node});
    if (name != names.end()) nodes[i].name = name->second;
  }
}

}  // namespace tools
