// SPDX-License-Identifier: MIT
#include "generate/options.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/option_texts.h"
#include "config/collective_rules.h"
#include "core/units.h"
#include "passes/lower/call_range.h"

namespace tools {

using namespace convert;

namespace {

constexpr Rank default_npus = 8;
constexpr std::int64_t most_npus = std::int64_t{1} << 24;

// Refuses options of a group that does not apply to the kind; `others` names the kinds with these options.
void refuse(const std::string& kind, const char* others, const std::string& given) {
  if (!given.empty()) throw usage_error(given + " is for " + others + ", not for " + kind);
}

std::optional<std::uint64_t> nanoseconds(const char* option, std::optional<std::int64_t> ps) {
  if (!ps) return std::nullopt;
  if (*ps % ps_per_ns != 0)
    throw usage_error(std::string(option) + " " + format_exact(*ps, ps_per_ns) + "ns: expected whole nanoseconds");
  return static_cast<std::uint64_t>(*ps / ps_per_ns);
}

// Returns the request of -a NAME[,KEY=VALUE...]; its ranks come from other options.
CollectiveRequest named_request(const GenerateOptions& o, Collective collective) {
  const std::string text = o.algorithm.value_or("");
  if (text.starts_with(native_prefix))
    throw usage_error("-a " + text +
                      ": et-replay simulates ASTRA-sim's native algorithms; et-generate builds the names "
                      "of --list");
  if (text.starts_with(graph_prefix)) return {.collective = collective, .algorithm = text};
  const std::array<std::pair<const char*, bool>, 4> keys = {{{"chunks", o.chunks.has_value()},
                                                             {"dims", o.dims.has_value()},
                                                             {"dim-algorithms", !o.dim_algorithms.empty()},
                                                             {"root", o.root.has_value()}}};
  for (const auto& [key, given] : keys) {
    if (given && text.find("," + std::string(key) + "=") != std::string::npos)
      throw usage_error("-a " + text + " and --" + key + " set the same; give one");
  }
  return request_of(text, collective, 0, std::nullopt);
}

Noise noise_of(const GenerateOptions& o) {
  Noise noise = parse_noise(o.noise);
  if (o.seed) noise.seed = static_cast<std::uint64_t>(*o.seed);
  return noise;
}

}  // namespace

void add_generate_options(App& app, GenerateOptions& o) {
  app.group("Input");
  app.add_operands(o.kind, "KIND", "model, workload file, collective or trace; see --list");
  add_output_options(app, o.output);
  app.group("What to make");
  app.add_flag("--list", o.list, "list models, algorithms and kinds of traces");
  app.add_integer("--npus", o.npus, 1, most_npus, "N", option_text::npus);
  app.add_bytes("--size", o.sizes, "BYTES,...", option_text::size);
  app.add_choice("--show", o.show, {"plan", "sizes"}, option_text::show);
  app.add_choice("--format", o.format, {"text", "json"}, option_text::format).advanced();
  app.add_choice("--compat", o.compat, {"chakra"}, option_text::compat).advanced();
  app.group("Workloads");
  app.add_option("--plan", o.plan, "NAME", "parallel plan of the model, see --list (default: the first)");
  app.add_texts("--set", o.set, "KEY=VALUE", option_text::set);
  app.group("Algorithms");
  app.add_option("-a,--algorithm", o.algorithm, "NAME[,KEY=VALUE...]", option_text::algorithm);
  app.add_integer("--chunks", o.chunks, 1, 1 << 24, "K", option_text::chunks);
  app.add_option("--dims", o.dims, "AxB...", "sizes of the dimensions of a hierarchical algorithm").advanced();
  app.add_list("--dim-algorithms", o.dim_algorithms, "NAME,...",
               "algorithm of each dimension: ring, direct or halving_doubling (default: ring)")
      .advanced();
  app.add_integer("--root", o.root, 0, most_npus, "R", "root of a broadcast or reduce (default: 0)").advanced();
  app.add_choice("--proto", o.proto, {"Simple", "LL", "LL128"}, "protocol of the algorithm (default: Simple)")
      .advanced();
  add_synthesis_options(app, o.synthesis);
  app.group("Traces");
  app.add_time("--compute-time", o.compute_ps, "TIME", "time of a computation, or of a layer's forward pass")
      .advanced();
  app.add_time("--backward", o.backward_ps, "TIME",
               "time of a layer's backward pass (default: twice --compute-time)")
      .advanced();
  app.add_list("--call", o.calls, "TYPE:BYTES,...", "collective calls, such as all_reduce:64MiB").advanced();
  app.add_integer("--layers", o.trace.layers, 1, 1'000'000'000, "N", "layers of the model").advanced();
  app.add_integer("--iterations", o.trace.iterations, 1, 1'000'000'000, "N", option_text::iterations).advanced();
  app.add_integer("--count", o.trace.count, 1, 1'000'000'000, "N", "number of nodes").advanced();
  app.add_choice("--order", o.order, {"chain", "independent"}, "nodes in a chain (the default), or independent")
      .advanced();
  app.group("Chance");
  app.add_list("--noise", o.noise, "KEY=SIGMA,...",
               "random times with this standard deviation, by layer, rank or node, such as node=0.1")
      .advanced();
  app.add_integer("--seed", o.seed, 0, 0x7fffffffffffffff, "N", option_text::seed).advanced();
}

void check_show(const GenerateOptions& o, std::string_view offered) {
  if (o.show && *o.show != offered)
    throw usage_error("--show " + *o.show + " is for " + (offered == "plan" ? "collectives" : "models") +
                      ", not for " + o.kind[0]);
}

CollectiveRequest algorithm_request(const GenerateOptions& o, Collective collective, const Context& context) {
  refuse(o.kind[0], "workloads", context.first_given("Workloads"));
  refuse(o.kind[0], "kinds of traces", o.compat ? "--compat" : context.first_given("Traces"));
  refuse(o.kind[0], "kinds of traces and workloads", context.first_given("Chance"));
  if (o.show) throw usage_error("--show " + *o.show + " is for models and --algorithm synthesized");
  if (o.format) throw usage_error("--format is for --bound and --show sizes");
  if (const std::string given = context.first_given("Synthesis"); !given.empty())
    throw usage_error(given + " is for --algorithm synthesized" + (o.algorithm ? ", not " + *o.algorithm : ""));
  CollectiveRequest r = named_request(o, collective);
  if (o.dims) r.dims = parse_dims(*o.dims);
  std::int64_t npus = o.npus.value_or(r.dims.empty() ? default_npus : 1);
  if (!o.npus) {
    for (const std::int32_t size : r.dims) npus = std::min(npus * size, most_npus);
  }
  r.ranks = static_cast<std::int32_t>(npus);
  if (o.chunks) r.chunks = static_cast<std::int32_t>(*o.chunks);
  if (o.root) r.root = static_cast<std::int32_t>(*o.root);
  if (!o.dim_algorithms.empty()) r.dim_algorithms = o.dim_algorithms;
  if (o.proto) r.protocol = *parse_protocol(*o.proto);
  if (o.size()) r.largest_call = o.largest_call.value_or(calls_around(*o.size()).max);
  return r;
}

GenerateRequest trace_request(const GenerateOptions& o, const Context& context) {
  refuse(o.kind[0], "workloads", context.first_given("Workloads"));
  refuse(o.kind[0], "collectives", context.first_given("Algorithms"));
  refuse(o.kind[0], "collectives", context.first_given("Synthesis"));
  refuse(o.kind[0], "models and collectives", o.show ? "--show" : o.format ? "--format" : "");
  GenerateRequest r = o.trace;
  r.kind = o.kind[0];
  r.ranks = static_cast<Rank>(o.npus.value_or(default_npus));
  r.compute_ns = nanoseconds("--compute-time", o.compute_ps);
  r.backward_ns = nanoseconds("--backward", o.backward_ps);
  r.size = o.size();
  for (const std::string& text : o.calls) r.comm.push_back(parse_generated_collective(text));
  if (o.order) r.chained = *o.order == "chain";
  if (o.seed) r.seed = static_cast<std::uint64_t>(*o.seed);
  r.like_reference = o.compat == "chakra";
  if (!o.noise.empty()) r.noise = noise_of(o);
  return r;
}

Noise workload_noise(const GenerateOptions& o, const Workload& workload) {
  const Noise noise = noise_of(o);
  if (noise.layer > 0) throw usage_error("--noise layer is for kind layers only; use rank or node for workloads");
  if (noise.given() && !workload.times.given())
    throw usage_error("--noise changes times, and " + workload.name +
                      " has none; give them with --set time.peak=RATE, such as 989TFLOPS");
  if (o.seed && o.noise.empty()) throw usage_error("--seed requires --noise, or a random trace");
  return noise;
}

}  // namespace tools
