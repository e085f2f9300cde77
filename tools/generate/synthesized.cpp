// SPDX-License-Identifier: MIT
#include "generate/synthesized.h"

#include <algorithm>

#include "core/rank_list.h"
#include "core/units.h"
#include "core/words.h"
#include "generate/options.h"
#include "sets/schedules.h"
#include "sets/sink.h"
#include "synthesis/bounds/report.h"
#include "util/log.h"

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
  if (!o.noise.empty()) throw usage_error("--noise is for kinds of traces and workloads, not for collectives");
  const SynthesisOptions& s = o.synthesis;
  if (!s.network)
    throw usage_error(
        "--algorithm synthesized wants a network: give -n FILE, or such as -n ring:8,bw=50GB/s,lat=500ns");
  if (!o.size) throw usage_error("--algorithm synthesized wants --size: it decides between latency and bandwidth");
  if (*o.size == 0) throw usage_error("--size 0: nothing moves");
  refuse(o.dims                      ? "--dims"
         : !o.dim_algorithms.empty() ? "--dim-algorithms"
         : o.proto                   ? "--proto"
                                     : "",
         " is not for --algorithm synthesized");
  if (!s.bound) {
    if (s.format) throw usage_error("--format is of --bound");
    return;
  }
  refuse(o.output.path        ? "-o"
         : o.output.to        ? "-t"
         : o.chunks           ? "--chunks"
         : !s.methods.empty() ? "--method"
                              : "",
         " is not for --bound, which makes no algorithm");
}

SynthesisMethod method_of(const std::string& text) {
  std::vector<std::string> known;
  for (const SynthesisMethod m : synthesis_methods) {
    if (same_name(text, name(m))) return m;
    known.emplace_back(name(m));
  }
  throw usage_error("--method " + text + ": expected some of " + join(known) + ", or auto");
}

SynthesisChoice choice_of(const GenerateOptions& o, const Context& context) {
  const SynthesisOptions& s = o.synthesis;
  SynthesisChoice choice;
  for (const std::string& method : s.methods) {
    if (!same_name(method, "auto")) choice.methods.push_back(method_of(method));
  }
  choice.effort = s.effort == "fast"   ? SynthesisEffort::fast
                  : s.effort == "best" ? SynthesisEffort::best
                                       : SynthesisEffort::normal;
  if (o.chunks) choice.pieces = static_cast<std::uint32_t>(*o.chunks);
  choice.most_pieces = static_cast<std::uint32_t>(std::max(s.most_pieces, o.chunks.value_or(1)));
  choice.seed = static_cast<std::uint64_t>(o.seed.value_or(1));
  choice.jobs = context.jobs();
  return choice;
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
  app.add_list("--method", o.methods, "NAME,...",
               "makers: greedy, trees, exact, latency, paired, paths, builders (default: auto, those that fit)");
  app.add_choice("--effort", o.effort, {"fast", "normal", "best"}, "how many candidates are made");
  app.add_integer("--max-chunks", o.most_pieces, 1, 1 << 24, "K",
                  "split each rank's part into K at most, unless --chunks says how many");
  app.add_flag("--bound", o.bound, "print the least time, and which links are to blame; no algorithm");
  app.add_choice("--format", o.format, {"text", "json"}, "of --bound (default: text)");
}

bool is_synthesized(const GenerateOptions& o) { return o.algorithm && same_name(*o.algorithm, "synthesized"); }

std::optional<SynthesizedAlgorithm> synthesize(const GenerateOptions& o, Context& context) {
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
  if (s.group_only && !s.group && network.graph.participants.empty())
    throw usage_error("--group-only goes with --group");
  const SynthesisProblem problem = make_problem(network, request, context.diagnostics);
  if (s.bound) {
    const Bounds bounds = find_bounds(problem);
    write_bytes(std::nullopt,
                s.format.value_or("text") == "json" ? bounds_json(problem, bounds) : bounds_text(problem, bounds));
    return std::nullopt;
  }
  SynthesizedAlgorithm out = synthesize_algorithm(problem, choice_of(o, context), context.diagnostics);
  log_info(out.summary);
  return out;
}

}  // namespace tools
