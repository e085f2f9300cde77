// SPDX-License-Identifier: MIT
#include "graph/pages.h"

#include <utility>

#include "core/units.h"
#include "page/graph/graph_page.h"
#include "sets/sink.h"
#include "util/log.h"

namespace tools {

using namespace convert;

namespace {

void write_graph_page(const PartOptions& part, TraceSource& source, Output& output, Context& context) {
  const ExcerptOptions excerpt = excerpt_options(part);
  GraphPage page;
  if (excerpt.nodes || excerpt.around) {
    for (const Trace& t : load_part(source, part.ranks, excerpt, context)) page.add(t);
  } else {
    for_each_wanted(source, part.ranks, context, [&](Trace&& t) { page.add(t); });
  }
  log_info(counted(source.ranks_read(), "rank") + ", " + counted(source.nodes_read(), "node"));
  const std::string name = source.base_name();
  std::move(page).write(name, name, output);
}

}  // namespace

void add_page_options(App& app, PageOptions& to) {
  app.add_choice("--view", to.view, {"graph", "ten"},
                 "page of -t html: nodes and dependencies (graph), which chunk is where when (ten)");
  add_ten_options(app, to.ten);
}

void check_page_options(const PageOptions& o, bool html) {
  if (o.ten.size && !o.ten.network) throw usage_error("--size requires a replay; name its network with -n");
  if (o.ten.forwarding && !o.ten.network)
    throw usage_error("--forwarding requires a replay; name its network with -n");
  const char* given = o.view ? "--view" : o.ten.network ? "-n" : o.ten.chunks ? "--show-chunks" : nullptr;
  if (given != nullptr && !html) throw usage_error(std::string(given) + " is for pages only; add -t html");
  if (o.view == "graph" && given != nullptr && (o.ten.network || o.ten.chunks))
    throw usage_error(std::string(o.ten.network ? "-n" : "--show-chunks") + " is for --view ten only");
}

bool write_page(const PageOptions& options, const PartOptions& part, TraceSource& source, Diagnostics& findings,
                OutputFiles& files, const std::optional<std::string>& path, Context& context) {
  const bool of_part = part.ranks || part.nodes || part.around;
  const bool described = source.algorithm() != nullptr || source.schedule() != nullptr;
  const bool followed = options.ten.network || options.ten.chunks || (described && !of_part);
  const bool ten = options.view.value_or(followed ? "ten" : "graph") == "ten";
  if (ten && of_part)
    throw usage_error("--ranks, --nodes and --around are for --view graph; use --show-chunks with --view ten");
  const auto out = open_output(files, path);
  if (ten) {
    if (!write_ten_page(options.ten, source, findings, *out, context)) return false;
  } else {
    context.diagnostics.append(findings);
    if (!source.prepare(false) || context.failed()) return false;
    write_graph_page(part, source, *out, context);
  }
  out->close();
  files.commit();
  return true;
}

}  // namespace tools
