// SPDX-License-Identifier: MIT
#include "generate/synthesized.h"

#include "core/rank_list.h"
#include "core/units.h"
#include "core/words.h"
#include "generate/options.h"
#include "sets/schedules.h"
#include "sets/sink.h"
#include "synthesis/bounds/report.h"

namespace tools {

using namespace convert;

namespace {

void refuse(const std::string& given, const char* why) {
  if (!given.empty()) throw usage_error(given + why);
}

// Refuses options that say nothing of an algorithm that is made for a network.
void check_options(const GenerateOptions& o, const Context& context) {
  refuse(context.first_given("Workloads"), " is for workloads, not for collectives");
  refuse(o.compat != "none" ? "--compat" : context.first_given("Traces"),
         " is for kinds of traces, not for collectives");
  refuse(context.first_given("Chance"), " is for kinds of traces and workloads, not for collectives");
  const SynthesisOptions& s = o.synthesis;
  if (!s.network)
    throw usage_error(
        "--algorithm synthesized wants a network: give -n FILE, or such as -n ring:8,bw=50GB/s,lat=500ns");
  if (!o.size) throw usage_error("--algorithm synthesized wants --size: it decides between latency and bandwidth");
  if (*o.size == 0) throw usage_error("--size 0: nothing moves");
  if (s.group_only && !s.group) throw usage_error("--group-only goes with --group");
  if (!s.bound) throw usage_error("--algorithm synthesized tells bounds alone: add --bound");
  refuse(o.output.path               ? "-o"
         : o.output.to               ? "-t"
         : o.chunks                  ? "--chunks"
         : o.dims                    ? "--dims"
         : !o.dim_algorithms.empty() ? "--dim-algorithms"
         : o.proto                   ? "--proto"
                                     : "",
         " is not for --bound, which makes no algorithm");
}

}  // namespace

void add_synthesis_options(App& app, SynthesisOptions& o) {
  app.group("Synthesis");
  app.add_option("-n,--network", o.network, "FILE|NAME",
                 "--algorithm synthesized: for this network, which gives --npus");
  app.add_list("--fail", o.failed, "LINK,...", "without these links, such as 3-4 or npu3-switch0; 3>4: one way");
  app.add_option("--group", o.group, "RANKS", "NPUs that take part, such as 0-7,16; others pass on (default: all)");
  app.add_flag("--group-only", o.group_only, "others do not pass on");
  app.add_choice("--occupancy", o.occupancy, {"beta", "alpha-beta"},
                 "a message keeps a link for its bytes, or for the latency too");
  app.add_flag("--bound", o.bound, "print the least time, and which links are to blame; no algorithm");
  app.add_choice("--format", o.format, {"text", "json"}, "of --bound (default: text)");
}

bool is_synthesized(const GenerateOptions& o) { return o.algorithm && same_name(*o.algorithm, "synthesized"); }

int synthesize(const GenerateOptions& o, Context& context) {
  const auto collective = parse_collective(o.kind[0], can_synthesize);
  if (!collective)
    throw usage_error("--algorithm synthesized is for " + join(names_of(can_synthesize)) + ", not for " +
                      o.kind[0]);
  check_options(o, context);
  const SynthesisOptions& s = o.synthesis;
  SynthesisRequest request{
      .collective = *collective,
      .bytes = *o.size,
      .group_only = s.group_only,
      .failed = s.failed,
      .occupancy = s.occupancy == "beta" ? Schedule::Occupancy::beta : Schedule::Occupancy::alpha_beta};
  if (s.group) request.group = parse_ranks(*s.group, "--group");
  if (o.root) request.root = static_cast<Rank>(*o.root);
  if (o.root && !has_root(*collective)) throw usage_error("--root is not for " + std::string(name(*collective)));
  const NetworkConfig network = find_network(*s.network);
  if (o.npus && *o.npus != network.npus())
    throw usage_error("--npus " + std::to_string(*o.npus) + ": the network has " +
                      counted(static_cast<std::uint64_t>(network.npus()), "NPU"));
  const SynthesisProblem problem = make_problem(network, request, context.diagnostics);
  const Bounds bounds = find_bounds(problem);
  write_bytes(std::nullopt,
              s.format.value_or("text") == "json" ? bounds_json(problem, bounds) : bounds_text(problem, bounds));
  return 0;
}

}  // namespace tools
