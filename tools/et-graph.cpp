// SPDX-License-Identifier: MIT
// et-graph: draw execution traces.
#include <algorithm>

#include "common/layout.h"
#include "common/source.h"
#include "common/tool.h"
#include "core/units.h"
#include "io/output.h"
#include "load/sink.h"
#include "load/source.h"
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

}  // namespace

int main(int argc, char** argv) {
  using namespace convert;
  tools::InputOptions input;
  tools::OutputOptions output;
  std::int64_t max_nodes = 500;
  std::int64_t timeout_ps = std::int64_t{30} * 1'000'000'000'000;
  const tools::ToolInfo info{
      .name = "et-graph",
      .summary = "draw execution traces",
      .operands = "[INPUT...]",
      .examples = {{"et-graph ring8.0.et -o ring8.svg", "one rank as a picture"},
                   {"et-graph ring8 | dot -Tpng > all.png", "all ranks, as dot on stdout"},
                   {"et-graph -t graphml llama.0.et -o llama.graphml",
                    "for Gephi, yEd or Cytoscape; no layout, any size"}},
  };
  const auto setup = [&](tools::App& app) {
    tools::add_input_options(app, input);
    tools::add_output_options(app, output, "dot|svg|png|pdf|graphml");
    app.group("Drawing");
    app.add_integer("--max-nodes", max_nodes, 1, 1'000'000, "N",
                    "most nodes that are laid out as svg, png, pdf (default: 500)");
    app.add_time("--timeout", timeout_ps, "TIME", "limit for the layout (default: 30s)");
  };
  return tools::run_tool(argc, argv, info, setup, [&](tools::Context& context) {
    const std::string type = picture_type(output);
    if (!tools::is_picture(type) && !is_drawing(type)) {
      throw usage_error("-t " + type + " is not a type of picture; expected dot, svg, png, pdf or graphml");
    }
    TraceSource source(tools::source_options(input, context), context.diagnostics);
    if (!source.prepare(false) || context.failed()) return 1;
    if (!tools::is_picture(type)) {
      const SinkOptions options{
          .to = type, .path = output.path, .force = output.force, .history = {}, .jobs = context.jobs()};
      write_set(source, plan_sink(source, options), options, context.diagnostics);
      log_info(counted(source.ranks_read(), "rank") + ", " + counted(source.nodes_read(), "node"));
      return 0;
    }
    if (output.to_stdout() && type != "svg") tools::refuse_binary_on_tty();
    const std::vector<Trace> traces = source.load(context.jobs());
    log_info(counted(source.ranks_read(), "rank") + ", " + counted(source.nodes_read(), "node"));
    if (const std::uint64_t n = source.nodes_read(); n > static_cast<std::uint64_t>(max_nodes)) {
      throw Error(Error::Kind::input, {.file = source.base_name()},
                  std::to_string(n) + " nodes are too many for a layout (limit " + std::to_string(max_nodes) +
                      (traces.size() > 1 ? "): draw one rank, " : "): ") +
                      "raise --max-nodes, or write -t dot or -t graphml, which need no layout");
    }
    std::string dot;
    find_format("dot").write_set(traces, {}, *memory_output(dot));
    write_bytes(output.path, tools::draw(type, dot, std::chrono::milliseconds(timeout_ps / 1'000'000'000)));
    return 0;
  });
}
