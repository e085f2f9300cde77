// SPDX-License-Identifier: MIT
#include "generate/write.h"

#include <algorithm>

#include "common/sink.h"
#include "core/units.h"
#include "passes/lower/lower.h"
#include "passes/verify/verify.h"
#include "sets/made_set.h"
#include "util/log.h"

namespace tools {

using namespace convert;

void write_made(SetSource& set, const GenerateOptions& o, Context& context) {
  const auto sink = open_sink(set, o.output, context);
  if (const Format& format = *sink.plan.choice.format; format.write_algorithm != nullptr) {
    if (set.algorithm() == nullptr)
      throw usage_error("kind " + o.kind[0] + " is not an algorithm; " + std::string(format.name) +
                        " requires a collective");
    const auto& target = o.synthesis.target;
    check_structure(*set.algorithm(), context.diagnostics, target ? &runtime_of(*target) : nullptr);
  }
  if (context.failed()) return;
  context.report();
  sink.write(set, context.diagnostics);
  log_info(set.base_name() + ": " + counted(set.independent_ranks(), "rank"));
}

void check_output(const std::string& name, Rank ranks, const GenerateOptions& o, Context& context) {
  MadeSet set(name, ranks, {});
  const OpenSink sink = open_sink(set, o.output, context);
  if (!o.output.force) check_size(sink.plan, ranks);
}

std::string numbered_path(const std::string& path, std::size_t i) {
  const std::size_t name = path.find_last_of('/') + 1;
  const std::size_t dot = std::min(path.find('.', name + 1), path.size());
  return path.substr(0, dot) + "." + std::to_string(i) + path.substr(dot);
}

void write_algorithm(const Algorithm& algorithm, const Schedule* schedule, const GenerateOptions& o,
                     Context& context, const std::function<void(Trace&)>& name_nets) {
  const Lowering lowering(algorithm, schedule == nullptr ? o.size() : std::nullopt, context.diagnostics);
  MadeSet set(algorithm.name, static_cast<Rank>(algorithm.ranks()), [&](Rank rank) {
    Trace trace;
    trace.rank = rank;
    trace.name = algorithm.name;
    lowering.lower(rank, trace);
    if (name_nets) name_nets(trace);
    return trace;
  });
  set.set_algorithm(algorithm);
  if (schedule != nullptr) set.set_schedule(*schedule);
  if (name_nets && written_format(o.output.to, o.output.path).format->write_algorithm != nullptr)
    log_note("network devices (net) of the graph file are not written, because the format has no field for them");
  write_made(set, o, context);
}

}  // namespace tools
