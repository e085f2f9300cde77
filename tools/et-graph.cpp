// SPDX-License-Identifier: MIT
// et-graph: draws execution traces.
#include <algorithm>

#include "common/source.h"
#include "common/tool.h"
#include "core/units.h"
#include "graph/layout.h"
#include "graph/pages.h"
#include "graph/part.h"
#include "io/output.h"
#include "programs.h"
#include "sets/sink.h"
#include "sets/source.h"
#include "util/log.h"

namespace {

struct GraphArguments {
  tools::InputOptions input;
  tools::OutputOptions output;
  tools::PartOptions part;
  tools::PageOptions page;
  std::int64_t timeout_ps = std::int64_t{30} * 1'000'000'000'000;
};

// Returns the type, such as "svg": from -t, else from the suffix of -o, else dot.
std::string picture_type(const tools::OutputOptions& output) {
  if (output.to) return *output.to;
  if (output.to_stdout()) return "dot";
  const std::size_t dot = output.path->rfind('.');
  std::string suffix = dot == std::string::npos ? "" : output.path->substr(dot + 1);
  if (tools::is_picture(suffix) || suffix == "html") return suffix;
  const convert::Format* format = convert::format_by_suffix(*output.path, convert::Direction::write);
  if (format == nullptr || format->write_drawing == nullptr) {
    throw convert::usage_error("cannot derive the type of picture from '" + *output.path +
                               "'; name it with -t html, dot, svg, png, pdf or graphml");
  }
  return std::string(format->name);
}

// Returns whether a type is dot or graphml, with or without options.
bool is_drawing(const std::string& type) {
  const std::string name = type.substr(0, type.find(','));
  const auto formats = convert::all_formats();
  return std::any_of(formats.begin(), formats.end(),
                     [&](const convert::Format* f) { return f->name == name && f->write_drawing != nullptr; });
}

void write_drawing(const std::string& type, const convert::drawing::Drawing& drawing, convert::Output& out) {
  const convert::FormatChoice choice = convert::parse_format_choice(type, convert::Direction::write);
  choice.format->write_drawing(drawing, choice.options, out);
  out.close();
}

int graph(const GraphArguments& o, tools::Context& context) {
  using namespace convert;
  const std::string type = picture_type(o.output);
  const bool page = type == "html";
  if (!page && !tools::is_picture(type) && !is_drawing(type)) {
    throw usage_error("-t " + type + " is not a type of picture; expected html, dot, svg, png, pdf or graphml");
  }
  tools::check_page_options(o.page, page);
  constexpr std::int64_t ps_per_ms = 1'000'000'000;
  if (o.timeout_ps < ps_per_ms) throw usage_error("--timeout is less than 1 ms; give the unit, such as 30s");
  const ExcerptOptions excerpt = tools::excerpt_options(o.part);
  const bool picture = tools::is_picture(type);
  if (o.output.to_stdout() && picture && type != "svg") tools::refuse_binary_on_tty();
  SourceOptions input = tools::source_options(o.input, context);
  const auto findings = context.diagnostics.sibling();
  if (page) input.findings = findings.get();
  TraceSource source(std::move(input), context.diagnostics);
  OutputFiles files;
  files.keep(tools::operand_files(o.input.operands, source.inputs()));
  if (page) return tools::write_page(o.page, o.part, source, *findings, files, o.output.path, context) ? 0 : 1;
  if (!source.prepare(false) || context.failed()) return 1;
  const drawing::Drawing drawing = tools::load_drawing(source, o.part.ranks, excerpt, context);
  log_info(counted(source.ranks_read(), "rank") + ", " + counted(source.nodes_read(), "node"));
  if (!picture) {
    write_drawing(type, drawing, *open_output(files, o.output.path));
    files.commit();
    return 0;
  }
  const std::chrono::milliseconds timeout(o.timeout_ps / ps_per_ms);
  tools::check_layout(drawing, source.base_name(), timeout);
  std::string dot;
  find_format("dot").write_drawing(drawing, {}, *memory_output(dot));
  write_bytes(files, o.output.path, tools::draw(type, dot, timeout));
  files.commit();
  return 0;
}

void declare(tools::App& app, GraphArguments& o) {
  tools::add_set_input_options(app, o.input);
  tools::add_target_options(app, o.output, "html|dot|svg|png|pdf|graphml");
  app.group("Drawing");
  tools::add_part_options(app, o.part);
  tools::add_page_options(app, o.page);
  app.add_time("--timeout", o.timeout_ps, "TIME", "limit for the layout (default: 30s)");
}

}  // namespace

int tools::et_graph(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-graph",
      .operands = "[INPUT...]",
      .examples = {{"et-graph ring8.0.et -o ring8.svg", "one rank as a picture"},
                   {"et-graph ring8 | dot -Tpng > all.png", "all ranks, as dot on stdout"},
                   {"et-graph llama -o llama.html",
                    "all ranks as a page to search and zoom, up to 2 million nodes"},
                   {"et-graph ring8.xml -o ring8.html", "the steps of an algorithm, as a page"},
                   {"et-graph --view ten -n ring:8,bw=50GB/s,lat=500ns ring8 -o ring8.html",
                    "the schedule of a replay on a network"},
                   {"et-graph --around 812,4 llama.0.et -o n812.svg", "a node and its neighbours within 4 hops"},
                   {"et-graph -t graphml llama.0.et -o llama.graphml",
                    "for Gephi, yEd or Cytoscape; no layout, any size"}},
  };
  return tools::run_tool(argc, argv, info, declare, graph);
}
