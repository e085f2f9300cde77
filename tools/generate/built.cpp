// SPDX-License-Identifier: MIT
#include "generate/built.h"

#include <functional>
#include <utility>
#include <vector>

#include "core/units.h"
#include "formats/format.h"
#include "generate/graph_file.h"
#include "generate/sizes.h"
#include "generate/write.h"
#include "passes/lower/call_range.h"
#include "sets/sink.h"
#include "util/log.h"

namespace tools {

using namespace convert;

namespace {

bool writes_msccl(const GenerateOptions& o) {
  return written_format(o.output.to, o.output.path).format->name == "msccl";
}

GraphAlgorithm built(const GenerateOptions& o, Collective collective, Context& context) {
  GraphAlgorithm made =
      names_graph_file(o)
          ? graph_algorithm(o, collective, context)
          : GraphAlgorithm{.algorithm = build_collective(algorithm_request(o, collective, context))};
  if (o.size() && *o.size() < made.algorithm.chunks)
    throw usage_error("--size " + std::to_string(*o.size()) + " is less than one byte for each of the " +
                      counted(made.algorithm.chunks, "chunk"));
  return made;
}

void write(const GraphAlgorithm& made, const GenerateOptions& o, Context& context) {
  write_algorithm(made.algorithm, nullptr, o, context,
                  made.has_nets() ? [&](Trace& trace) { made.name_nets(trace); } : std::function<void(Trace&)>());
}

void generate_for_any_size(const GenerateOptions& o, Collective collective, Context& context) {
  GraphAlgorithm made = built(o, collective, context);
  const auto capped = set_calls(made.algorithm, {0, undeclared_max_bytes});
  if (capped && writes_msccl(o))
    log_note(made.algorithm.name + ": maxBytes is " + std::to_string(*capped) +
             ", because its steps of several chunks hang in larger calls; use --size BYTES for other calls");
  write(made, o, context);
}

}  // namespace

void generate_built(const GenerateOptions& o, Collective collective, Context& context) {
  if (o.sizes.empty()) return generate_for_any_size(o, collective, context);
  check_sizes(o);
  check_files_of_sizes(o);
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < o.sizes.size(); ++i) {
    const GenerateOptions own = options_of_size(o, i);
    GraphAlgorithm made = built(own, collective, context);
    const SizedCalls calls = calls_of_size(o, i, begin, made.algorithm.chunks, nullptr);
    begin = calls.end;
    (void)set_calls(made.algorithm, calls.range);  // made for calls of twice the size, so that none hangs
    write(made, own, context);
  }
}

}  // namespace tools
