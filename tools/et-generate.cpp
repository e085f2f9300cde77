// SPDX-License-Identifier: MIT
// et-generate: collective algorithms and synthetic traces.
#include <algorithm>

#include "common/tool.h"
#include "core/units.h"
#include "generate/built.h"
#include "generate/list.h"
#include "generate/options.h"
#include "generate/workload.h"
#include "generate/write.h"
#include "programs.h"
#include "sets/classes/set.h"
#include "sets/made_set.h"
#include "sets/sink.h"

namespace {

using namespace convert;

std::string file_name(const GenerateRequest& r) {
  const TraceKind* kind = find_trace_kind(r.kind);
  std::string name(r.like_reference ? kind->reference_case : kind->name);
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}

void write_workload(const WorkloadSet& workload, const tools::GenerateOptions& o, tools::Context& context) {
  const std::string& name = workload.workload().name;
  const Noise noise = tools::workload_noise(o, workload.workload());
  if (!noise.given() && workload.ranks() >= 4 * workload.classes()) {
    ClassSet set(name, workload.master());
    return tools::write_made(set, o, context);
  }
  // Written rank by rank: classes of few ranks would take much memory and save little; with noise all ranks differ.
  MadeSet set(name, workload.ranks(), [&](Rank rank) { return workload.trace(rank, noise); });
  if (workload.group_count() > 0) set.set_groups(groups_text(workload.groups()));
  tools::write_made(set, o, context);
}

int generate(const tools::GenerateOptions& o, tools::Context& context) {
  if (o.list) {
    write_bytes(std::nullopt, tools::list_text());
    return 0;
  }
  if (o.kind.size() != 1)
    throw usage_error(o.kind.empty() ? "no KIND is given; see et-generate --list"
                                     : "unexpected argument '" + o.kind[1] + "'; one KIND per call");
  if (tools::is_synthesized(o)) {
    tools::generate_synthesized(o, context);
    return 0;
  }
  tools::check_kind(o.kind[0]);
  const auto collective = tools::collective_of(o.kind[0]);
  if (o.sizes.size() > 1 && !collective)
    throw usage_error("several values of --size are for collectives only; give one");
  if (tools::names_workload(o.kind[0])) {
    const WorkloadSet workload = tools::workload_of(o, context);
    if (o.show) {
      if (!o.noise.empty() || o.seed) throw usage_error("--noise and --seed cannot be combined with --show plan");
      write_bytes(std::nullopt, tools::explain(workload));
      return 0;
    }
    write_workload(workload, o, context);
  } else if (collective) {
    tools::generate_built(o, *collective, context);
  } else {
    const GenerateRequest request = tools::trace_request(o, context);
    MadeSet set(file_name(request), request.ranks, trace_generator(request));
    set.set_follows_reference(request.like_reference);
    tools::write_made(set, o, context);
  }
  return 0;
}

}  // namespace

int tools::et_generate(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-generate",
      .operands = "KIND",
      .examples = {{"et-generate llama3-8b --npus 64 --set time.peak=989TFLOPS -o llama",
                    "a training step of a model, llama.0.et …"},
                   {"et-generate llama3-405b --npus 16384 --show plan",
                    "its parameters, operations and collectives"},
                   {"et-generate all_reduce --algorithm ring --npus 8 --size 1MiB -o ring8",
                    "an algorithm as a trace set, ring8.0.et … ring8.7.et"},
                   {"et-generate all_reduce --algorithm synthesized -n net.yml --size 1MiB -o m",
                    "the fastest algorithm found for a network"},
                   {"et-generate all_to_all --dims 4x8 --algorithm hierarchical -t msccl",
                    "an algorithm as MSCCL-IR, for NCCL and RCCL"},
                   {"et-generate layers --npus 16 --layers 24 --call all_reduce:64MiB -o toy",
                    "a training step of 16 ranks"},
                   {"et-generate random --seed 7 | et-validate", "a test case"}},
      .reads_files = false,
  };
  return tools::run_tool(argc, argv, info, tools::add_generate_options, generate);
}
