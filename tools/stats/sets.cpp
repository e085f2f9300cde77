// SPDX-License-Identifier: MIT
#include "stats/sets.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analyze/sets/set_statistics.h"
#include "core/words.h"
#include "sets/classes/counting.h"
#include "stats/network.h"
#include "util/log.h"

namespace tools {

CountedSet count_set(convert::TraceSource& source, const StatsOptions& o, Context& context) {
  using namespace convert;
  const bool chosen = o.chosen();
  const NodeKey by = o.by ? parse_node_key(*o.by) : NodeKey::nothing;
  const bool path = !chosen || o.wants("path");
  const RankWishes wishes{.by = by,
                          .names = !chosen || o.wants("nodes"),
                          .idle = !chosen || o.wants("idle"),
                          .redundant = o.wants("redundant"),
                          .path = path,
                          .ops_per_ns = o.ops_per_ns()};
  const SetStatistics::Options options{
      .by = by,
      .path = path,
      .ops_per_ns = o.ops_per_ns(),
      .rows = o.rows(),
      .most_path_nodes = o.wants("path") ? 0 : SetStatistics::Options{}.most_path_nodes};
  if (!source.prepare(false) || context.failed()) return {};
  const SetStatistics set = statistics_of(source, wishes, options, context.jobs());
  source.warn_of_missing_ranks();
  log_info(counted(source.ranks_read(), "rank") + ", " + counted(source.nodes_read(), "node"));
  CountedSet counted_set{.sections = {}, .operations = set.operations()};
  for (const std::string& name : SetStatistics::section_names()) {
    const bool on_network = o.network && name == "matrix";
    if (chosen ? !o.wants(name) : !on_network && (o.form() == "text" ? !set.has(name) : name == "redundant"))
      continue;
    std::optional<Section> matrix = on_network ? matrix_on_network(o, context) : std::nullopt;
    if (on_network && !matrix) return counted_set;
    counted_set.sections.push_back(matrix ? std::move(*matrix) : set.section(name));
  }
  return counted_set;
}

}  // namespace tools
