// SPDX-License-Identifier: MIT
#include "graph/part.h"

#include <algorithm>
#include <utility>

#include "common/option_texts.h"
#include "core/rank_list.h"
#include "core/units.h"
#include "util/log.h"

namespace tools {

using namespace convert;

namespace {

// Parses "3:17,4" or "17".
NearNode near_node(const std::string& text) {
  const auto bad = [&] {
    return usage_error("--around " + text + ": expected [RANK:]NODE[,HOPS], such as 17, 3:17 or 3:17,4");
  };
  NearNode near;
  std::string_view rest = text;
  if (const std::size_t comma = rest.find(','); comma != std::string_view::npos) {
    const auto hops = parse_unsigned(rest.substr(comma + 1));
    if (!hops || *hops > 1'000'000) throw bad();
    near.hops = static_cast<std::uint32_t>(*hops);
    rest = rest.substr(0, comma);
  }
  if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
    const auto rank = parse_unsigned(rest.substr(0, colon));
    if (!rank || *rank > UINT32_MAX) throw bad();
    near.rank = static_cast<Rank>(*rank);
    rest = rest.substr(colon + 1);
  }
  const auto node = parse_unsigned(rest);
  if (!node) throw bad();
  near.node = *node;
  return near;
}

// Parses "10-20" or "17".
std::pair<NodeId, NodeId> node_range(const std::string& text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_unsigned(text.substr(0, dash));
  const auto last = dash == std::string::npos ? first : parse_unsigned(text.substr(dash + 1));
  if (!first || !last || *last < *first)
    throw usage_error("--nodes " + text + ": expected a range of ids, such as 10-20");
  return {*first, *last};
}

void refuse_missing(const std::vector<Rank>& wanted, const std::string& list, const std::vector<Rank>& found,
                    const TraceSource& source) {
  std::vector<Rank> missing;
  for (const Rank r : wanted) {
    if (std::ranges::find(found, r) == found.end()) missing.push_back(r);
  }
  if (missing.empty()) return;
  throw usage_error("--ranks " + list + ": there " + (missing.size() == 1 ? "is no " : "are no ") +
                    ranks_text(missing) + "; " + source.base_name() + " has " +
                    counted(source.ranks_read(), "rank"));
}

// Reads all ranks with read(visit); calls consume for the ranks of a list, or for all ranks.
template <class T, class Read>
void visit_wanted(TraceSource& source, const std::optional<std::string>& ranks,
                  const std::function<void(T&&)>& consume, const Read& read) {
  const std::vector<Rank> wanted = ranks ? parse_ranks(*ranks) : std::vector<Rank>{};
  std::vector<Rank> found;
  read([&](T&& rank) {
    if (ranks && !std::binary_search(wanted.begin(), wanted.end(), rank.rank)) return;
    found.push_back(rank.rank);
    consume(std::move(rank));
  });
  if (ranks) refuse_missing(wanted, *ranks, found, source);
}

// Warns if --nodes ends beyond all ids, which is probably a mistake.
void warn_beyond(NodeId first, NodeId last, const std::vector<Trace>& traces, Diagnostics& diagnostics) {
  NodeId highest = 0;
  for (const Trace& t : traces) {
    for (const Node& n : t.nodes.nodes) highest = std::max(highest, n.id);
  }
  if (first <= highest && highest < last) {
    diagnostics.warning({}, "",
                        "--nodes " + std::to_string(first) + '-' + std::to_string(last) +
                            ": no node has an id above " + std::to_string(highest));
  }
}

void cut_out(std::vector<Trace>& traces, const ExcerptOptions& excerpt, Context& context) {
  if (!excerpt.nodes && !excerpt.around) return;
  if (excerpt.nodes) warn_beyond(excerpt.nodes->first, excerpt.nodes->second, traces, context.diagnostics);
  const ExcerptCounts left_out = take_excerpt(traces, excerpt);
  log_info(counted(left_out.nodes, "node") + " omitted, and " + std::to_string(left_out.cut_deps) +
           (left_out.cut_deps == 1 ? " dependency" : " dependencies") + " on them");
}

}  // namespace

void add_part_options(App& app, PartOptions& to) {
  app.add_option("--ranks", to.ranks, "LIST", option_text::ranks);
  app.add_option("--nodes", to.nodes, "A-B", "only nodes with these ids");
  app.add_option("--around", to.around, "[RANK:]NODE[,HOPS]",
                 "only this node and its neighbours (default: 2 hops)");
}

ExcerptOptions excerpt_options(const PartOptions& options) {
  ExcerptOptions excerpt;
  if (options.nodes) excerpt.nodes = node_range(*options.nodes);
  if (options.around) excerpt.around = near_node(*options.around);
  return excerpt;
}

void for_each_wanted(TraceSource& source, const std::optional<std::string>& ranks, const Context& context,
                     const std::function<void(Trace&&)>& consume) {
  visit_wanted<Trace>(source, ranks, consume,
                      [&](const auto& visit) { source.for_each_trace(context.jobs(), visit); });
}

std::vector<Trace> load_part(TraceSource& source, const std::optional<std::string>& ranks,
                             const ExcerptOptions& excerpt, Context& context) {
  std::vector<Trace> traces;
  for_each_wanted(source, ranks, context, [&](Trace&& t) { traces.push_back(std::move(t)); });
  cut_out(traces, excerpt, context);
  return traces;
}

drawing::Drawing load_drawing(TraceSource& source, const std::optional<std::string>& ranks,
                              const ExcerptOptions& excerpt, Context& context) {
  if (excerpt.nodes || excerpt.around) {
    std::vector<Trace> traces;
    visit_wanted<Trace>(
        source, ranks, [&](Trace&& t) { traces.push_back(std::move(t)); },
        [&](const auto& visit) { source.for_each_trace(context.jobs(), drawing::drawn_parts(), visit); });
    cut_out(traces, excerpt, context);
    return drawing::make_drawing(traces);
  }
  std::vector<drawing::DrawnRank> drawn;
  visit_wanted<drawing::DrawnRank>(
      source, ranks, [&](drawing::DrawnRank&& r) { drawn.push_back(std::move(r)); },
      [&](const auto& visit) { source.for_each_ascending(context.jobs(), drawing::read_drawn, visit); });
  return drawing::make_drawing(std::move(drawn));
}

}  // namespace tools
