// SPDX-License-Identifier: MIT
#include "graph/pages.h"

#include <utility>

#include "core/units.h"
#include "page/graph/graph_page.h"
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
  app.add_choice("--view", to.view, {"graph"}, "page of -t html: nodes and dependencies (graph)");
}

void write_page(const PageOptions& /*options*/, const PartOptions& part, TraceSource& source, Output& output,
                Context& context) {
  write_graph_page(part, source, output, context);
}

}  // namespace tools
