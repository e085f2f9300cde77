// SPDX-License-Identifier: MIT
// et-graph: draw execution traces.
#include <algorithm>

#include "common/layout.h"
#include "common/source.h"
#include "common/tool.h"
#include "core/rank_list.h"
#include "core/units.h"
#include "io/output.h"
#include "passes/excerpt.h"
#include "sets/sink.h"
#include "sets/source.h"
#include "util/log.h"

namespace {

// "svg" from -t, else from the suffix of -o, else dot.
std::string picture_type(const tools::OutputOptions& output) {
  if (output.to) return *output.to;
  if (output.to_stdout()) return "dot";
  const std::size_t dot = output.path->rfind('.');
  std::string suffix = dot == std::string::npos ? "" : output.path->substr(dot + 1);
  if (tools::is_picture(suffix)) return suffix;
  const convert::Format* format = convert::format_by_suffix(*output.path, convert::Direction::write);
  if (format == nullptr || format->write_set == nullptr) {
    throw convert::usage_error("cannot tell the type of picture from '" + *output.path +
                               "'; name it with -t dot, svg, png, pdf or graphml");
  }
  return std::string(format->name);
}

// dot or graphml, with or without options behind it.
bool is_drawing(const std::string& type) {
  const std::string name = type.substr(0, type.find(','));
  const auto formats = convert::all_formats();
  return std::any_of(formats.begin(), formats.end(),
                     [&](const convert::Format* f) { return f->name == name && f->write_set != nullptr; });
}

// "3:17,4", "17".
convert::NearNode near_node(const std::string& text) {
  using convert::parse_unsigned;
  const auto bad = [&] {
    return convert::usage_error(
        "--around " + text +
        ": expected a node's id, with its rank and the number of hops where needed: 17, 3:17 or 3:17,4");
  };
  convert::NearNode near;
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
    near.rank = static_cast<convert::Rank>(*rank);
    rest = rest.substr(colon + 1);
  }
  const auto node = parse_unsigned(rest);
  if (!node) throw bad();
  near.node = *node;
  return near;
}

// "10-20", "17".
std::pair<convert::NodeId, convert::NodeId> node_range(const std::string& text) {
  const std::size_t dash = text.find('-');
  const auto first = convert::parse_unsigned(text.substr(0, dash));
  const auto last = dash == std::string::npos ? first : convert::parse_unsigned(text.substr(dash + 1));
  if (!first || !last || *last < *first)
    throw convert::usage_error("--nodes " + text + ": expected ids such as 10-20");
  return {*first, *last};
}

void refuse_missing(const std::vector<convert::Rank>& wanted, const std::string& list,
                    const std::vector<convert::Trace>& traces, const convert::TraceSource& source) {
  std::vector<convert::Rank> missing;
  for (const convert::Rank r : wanted) {
    if (std::none_of(traces.begin(), traces.end(), [r](const auto& t) { return t.rank == r; }))
      missing.push_back(r);
  }
  if (missing.empty()) return;
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < missing.size(); begin = end) {
    while (end < missing.size() && missing[end] - missing[begin] == end - begin) ++end;
    text += (begin == 0 ? "" : ", ") + std::to_string(missing[begin]);
    if (end - begin > 1) text += '-' + std::to_string(missing[end - 1]);
  }
  throw convert::usage_error("--ranks " + list + ": there " +
                             (missing.size() == 1 ? "is no rank " : "are no ranks ") + text + "; " +
                             source.base_name() + " has " + convert::counted(source.ranks_read(), "rank"));
}

// An end of --nodes that lies beyond all ids is a slip, most probably.
void warn_beyond(convert::NodeId first, convert::NodeId last, const std::vector<convert::Trace>& traces,
                 convert::Diagnostics& diagnostics) {
  convert::NodeId highest = 0;
  for (const convert::Trace& t : traces) {
    for (const convert::Node& n : t.nodes.nodes) highest = std::max(highest, n.id);
  }
  if (first <= highest && highest < last) {
    diagnostics.warning({}, "",
                        "--nodes " + std::to_string(first) + '-' + std::to_string(last) +
                            ": no node has an id above " + std::to_string(highest));
  }
}

// What is to be drawn: the ranks asked for, and of them the nodes.
std::vector<convert::Trace> load_part(convert::TraceSource& source, const std::optional<std::string>& ranks,
                                      const convert::ExcerptOptions& excerpt, tools::Context& context) {
  const std::vector<convert::Rank> wanted = ranks ? convert::parse_ranks(*ranks) : std::vector<convert::Rank>{};
  std::vector<convert::Trace> traces;
  source.for_each_trace(context.jobs(), [&](convert::Trace&& t) {
    if (!ranks || std::binary_search(wanted.begin(), wanted.end(), t.rank)) traces.push_back(std::move(t));
  });
  if (ranks) refuse_missing(wanted, *ranks, traces, source);
  if (!excerpt.nodes && !excerpt.around) return traces;
  if (excerpt.nodes) warn_beyond(excerpt.nodes->first, excerpt.nodes->second, traces, context.diagnostics);
  const convert::ExcerptCounts left_out = take_excerpt(traces, excerpt);
  convert::log_info(convert::counted(left_out.nodes, "node") + " left out, and " +
                    std::to_string(left_out.cut_deps) + (left_out.cut_deps == 1 ? " dependency" : " dependencies") +
                    " on them");
  return traces;
}

void write_drawing(const std::string& type, const std::vector<convert::Trace>& traces, convert::Output& out) {
  const convert::FormatChoice choice = convert::parse_format_choice(type, convert::Direction::write);
  choice.format->write_set(traces, choice.options, out);
  out.close();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace convert;
  tools::InputOptions input;
  tools::OutputOptions output;
  std::optional<std::string> ranks, nodes, around;
  std::int64_t timeout_ps = std::int64_t{30} * 1'000'000'000'000;
  const tools::ToolInfo info{
      .name = "et-graph",
      .summary = "draw execution traces",
      .operands = "[INPUT...]",
      .examples = {{"et-graph ring8.0.et -o ring8.svg", "one rank as a picture"},
                   {"et-graph ring8 | dot -Tpng > all.png", "all ranks, as dot on stdout"},
                   {"et-graph --around 812,4 llama.0.et -o n812.svg", "a node and what is within 4 hops of it"},
                   {"et-graph -t graphml llama.0.et -o llama.graphml",
                    "for Gephi, yEd or Cytoscape; no layout, any size"}},
  };
  const auto setup = [&](tools::App& app) {
    tools::add_input_options(app, input);
    tools::add_target_options(app, output, "dot|svg|png|pdf|graphml");
    app.group("Drawing");
    app.add_option("--ranks", ranks, "LIST", "these ranks only, such as 0-3,8");
    app.add_option("--nodes", nodes, "A-B", "nodes with these ids only");
    app.add_option("--around", around, "[RANK:]NODE[,HOPS]", "a node and what is near it (default: 2 hops)");
    app.add_time("--timeout", timeout_ps, "TIME", "limit for the layout (default: 30s)");
  };
  return tools::run_tool(argc, argv, info, setup, [&](tools::Context& context) {
    const std::string type = picture_type(output);
    if (!tools::is_picture(type) && !is_drawing(type)) {
      throw usage_error("-t " + type + " is not a type of picture; expected dot, svg, png, pdf or graphml");
    }
    constexpr std::int64_t ps_per_ms = 1'000'000'000;
    if (timeout_ps < ps_per_ms) throw usage_error("--timeout: less than a millisecond; name the unit, such as 30s");
    ExcerptOptions excerpt;
    if (nodes) excerpt.nodes = node_range(*nodes);
    if (around) excerpt.around = near_node(*around);
    const bool picture = tools::is_picture(type);
    if (output.to_stdout() && picture && type != "svg") tools::refuse_binary_on_tty();
    TraceSource source(tools::source_options(input, context), context.diagnostics);
    if (!source.prepare(false) || context.failed()) return 1;
    const std::vector<Trace> traces = load_part(source, ranks, excerpt, context);
    log_info(counted(source.ranks_read(), "rank") + ", " + counted(source.nodes_read(), "node"));
    OutputFiles files;
    files.keep(tools::files_of(input.operands, source.inputs()));
    if (!picture) {
      write_drawing(type, traces, *open_output(files, output.path));
      files.commit();
      return 0;
    }
    const std::chrono::milliseconds timeout(timeout_ps / ps_per_ms);
    tools::check_layout(drawing::make_drawing(traces), source.base_name(), timeout);
    std::string dot;
    find_format("dot").write_set(traces, {}, *memory_output(dot));
    write_bytes(files, output.path, tools::draw(type, dot, timeout));
    files.commit();
    return 0;
  });
}
