// SPDX-License-Identifier: MIT
// et-generate: collective algorithms and synthetic traces.
#include <algorithm>

#include "collectives/collective.h"
#include "common/tool.h"
#include "core/units.h"
#include "generate/generate.h"
#include "passes/lower/lower.h"
#include "passes/verify/verify.h"
#include "sets/made_set.h"
#include "sets/sink.h"
#include "util/log.h"

namespace {

using namespace convert;

constexpr Rank default_npus = 8;
constexpr std::int64_t most_npus = std::int64_t{1} << 24;

struct Options {
  std::vector<std::string> kind;
  tools::OutputOptions output;
  bool list = false;
  std::optional<std::int64_t> npus;
  std::optional<std::int64_t> size;
  std::string compat = "none";
  // of algorithms
  std::optional<std::string> algorithm;
  std::optional<std::int64_t> chunks;
  std::optional<std::string> dims;
  std::vector<std::string> dim_algorithms;
  std::optional<std::int64_t> root;
  std::optional<std::string> proto;
  // of traces
  std::optional<std::int64_t> compute_ps;
  std::optional<std::int64_t> backward_ps;
  std::vector<std::string> comm;
  std::optional<std::int64_t> layers;
  std::optional<std::int64_t> iterations;
  std::optional<std::int64_t> count;
  std::optional<std::string> order;
  std::optional<std::int64_t> seed;
};

void declare(tools::App& app, Options& o) {
  app.group("Input");
  app.add_operands(o.kind, "KIND", "a collective or a kind of trace; see --list");
  tools::add_output_options(app, o.output);
  app.group("What to make");
  app.add_flag("--list", o.list, "list the collectives with their algorithms, and the kinds of traces");
  app.add_integer("--npus", o.npus, 1, most_npus, "N", "number of ranks (default: of --dims, else 8)");
  app.add_bytes("--size", o.size, "BYTES", "of the whole collective, or of what a node moves");
  app.add_choice("--compat", o.compat, {"none", "chakra"}, "byte for byte what Chakra's generator writes");
  app.group("Algorithms");
  app.add_option("--algorithm", o.algorithm, "NAME", "algorithm of the collective (default: see --list)");
  app.add_integer("--chunks", o.chunks, 1, 1 << 24, "K", "split each rank's part into K (default: 1)");
  app.add_option("--dims", o.dims, "AxB...", "sizes of the dimensions of a hierarchical algorithm");
  app.add_list("--dim-algorithms", o.dim_algorithms, "NAME,...",
               "of each dimension: ring, direct, halving_doubling (default: ring)");
  app.add_integer("--root", o.root, 0, most_npus, "R",
                  "rank that sends a broadcast, or gets a reduce (default: 0)");
  app.add_choice("--proto", o.proto, {"Simple", "LL", "LL128"}, "protocol of the algorithm (default: Simple)");
  app.group("Traces");
  app.add_time("--compute", o.compute_ps, "TIME", "of a computation, or of a layer's forward pass");
  app.add_time("--backward", o.backward_ps, "TIME", "of a layer's backward pass (default: twice --compute)");
  app.add_list("--comm", o.comm, "TYPE:BYTES,...", "collectives, such as all_reduce:64MiB");
  app.add_integer("--layers", o.layers, 1, 1'000'000'000, "N", "layers of the model");
  app.add_integer("--iterations", o.iterations, 1, 1'000'000'000, "N", "iterations of the training");
  app.add_integer("--count", o.count, 1, 1'000'000'000, "N", "how often");
  app.add_choice("--order", o.order, {"chain", "independent"},
                 "each after the one before (the default), or at once");
  app.add_integer("--seed", o.seed, 0, 0x7fffffffffffffff, "N", "of random traces (default: 1)");
}

// Those that there are algorithms for.
constexpr Collective collectives[] = {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                                      Collective::all_to_all, Collective::broadcast,  Collective::reduce};

std::optional<Collective> collective_of(const std::string& text) {
  return parse_collective(text,
                          [](Collective c) { return std::ranges::find(collectives, c) != std::end(collectives); });
}

// Text in a column behind a name, at most 80 wide.
void add_entry(std::string& out, std::string_view name, std::string_view text) {
  constexpr std::size_t indent = 22;
  constexpr std::size_t width = 80;
  std::string line = "  " + std::string(name);
  line.resize(std::max(indent, line.size() + 1), ' ');
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (line.size() > indent && line.back() != ' ' && line.size() + 1 + end - begin > width) {
      out += line + '\n';
      line.assign(indent, ' ');
    }
    if (line.back() != ' ') line += ' ';
    line += text.substr(begin, end - begin);
    begin = end + 1;
  }
  out += line + '\n';
}

std::string list_text() {
  std::string out = "Collectives and their algorithms, the default first:\n";
  for (const Collective collective : collectives) {
    std::string names(default_collective_algorithm(collective));
    for (const CollectiveAlgorithm& a : collective_algorithms()) {
      if (a.offers(collective) && a.name != default_collective_algorithm(collective))
        names += " " + std::string(a.name);
    }
    add_entry(out, name(collective), names);
  }
  out += "\nAlgorithms:\n";
  for (const CollectiveAlgorithm& a : collective_algorithms()) {
    add_entry(out, a.name, std::string(a.summary) + " (" + std::string(a.source) + ")");
    add_entry(out, "", "ranks: " + std::string(a.ranks));
  }
  out += "\nKinds of traces, of each rank; defaults in parentheses:\n";
  for (const TraceKind& k : trace_kinds()) {
    add_entry(out, k.name, k.summary);
    if (!k.reference_case.empty()) add_entry(out, "", "--compat chakra: " + std::string(k.reference_case));
  }
  return out;
}

std::vector<std::int32_t> parse_dims(const std::string& text) {
  std::vector<std::int32_t> dims;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const auto size = parse_int(std::string_view(text).substr(begin, end - begin));
    if (!size || *size < 1 || *size > most_npus)
      throw usage_error("--dims " + text + ": expected sizes such as 2x4x8");
    dims.push_back(static_cast<std::int32_t>(*size));
    begin = end + 1;
  }
  return dims;
}

// Refuses options that the kind has no use for: `others` says whose they are.
void refuse(const std::string& kind, const char* others,
            std::initializer_list<std::pair<bool, const char*>> options) {
  for (const auto& [given, name] : options) {
    if (given) throw usage_error(std::string(name) + " is for " + others + ", not for " + kind);
  }
}

CollectiveRequest algorithm_request(const Options& o, Collective collective) {
  refuse(o.kind[0], "kinds of traces",
         {{o.compat != "none", "--compat"},
          {o.compute_ps.has_value(), "--compute"},
          {o.backward_ps.has_value(), "--backward"},
          {!o.comm.empty(), "--comm"},
          {o.layers.has_value(), "--layers"},
          {o.iterations.has_value(), "--iterations"},
          {o.count.has_value(), "--count"},
          {o.order.has_value(), "--order"},
          {o.seed.has_value(), "--seed"}});
  CollectiveRequest r{.collective = collective, .algorithm = o.algorithm.value_or("")};
  if (o.dims) r.dims = parse_dims(*o.dims);
  std::int64_t npus = o.npus.value_or(r.dims.empty() ? default_npus : 1);
  if (!o.npus) {
    for (const std::int32_t size : r.dims) npus = std::min(npus * size, most_npus);
  }
  r.ranks = static_cast<std::int32_t>(npus);
  r.chunks = static_cast<std::int32_t>(o.chunks.value_or(1));
  if (o.root) r.root = static_cast<std::int32_t>(*o.root);
  r.dim_algorithms = o.dim_algorithms;
  if (o.proto) r.protocol = *parse_protocol(*o.proto);
  return r;
}

std::optional<std::uint64_t> nanoseconds(const char* option, std::optional<std::int64_t> ps) {
  if (!ps) return std::nullopt;
  if (*ps % ps_per_ns != 0)
    throw usage_error(std::string(option) + " " + format_exact(*ps, ps_per_ns) + "ns: expected whole nanoseconds");
  return static_cast<std::uint64_t>(*ps / ps_per_ns);
}

GenerateRequest trace_request(const Options& o) {
  refuse(o.kind[0], "collectives",
         {{o.algorithm.has_value(), "--algorithm"},
          {o.chunks.has_value(), "--chunks"},
          {o.dims.has_value(), "--dims"},
          {!o.dim_algorithms.empty(), "--dim-algorithms"},
          {o.root.has_value(), "--root"},
          {o.proto.has_value(), "--proto"}});
  GenerateRequest r{.kind = o.kind[0], .ranks = static_cast<Rank>(o.npus.value_or(default_npus))};
  r.compute_ns = nanoseconds("--compute", o.compute_ps);
  r.backward_ns = nanoseconds("--backward", o.backward_ps);
  r.size = o.size;
  for (const std::string& text : o.comm) r.comm.push_back(parse_generated_collective(text));
  r.layers = o.layers;
  r.iterations = o.iterations;
  r.count = o.count;
  if (o.order) r.chained = *o.order == "chain";
  if (o.seed) r.seed = static_cast<std::uint64_t>(*o.seed);
  r.like_reference = o.compat == "chakra";
  return r;
}

void check_kind(const Options& o) {
  if (o.kind.size() != 1)
    throw usage_error(o.kind.empty() ? "no KIND is given; see et-generate --list"
                                     : "unexpected argument '" + o.kind[1] + "'; one KIND per call");
  const std::string& kind = o.kind[0];
  if (collective_of(kind) || find_trace_kind(kind) != nullptr) return;
  std::vector<std::string> known;
  for (const Collective c : collectives) known.emplace_back(name(c));
  for (const TraceKind& k : trace_kinds()) known.emplace_back(k.name);
  const std::string near = nearest(kind, known);
  throw usage_error("unknown kind '" + kind + "'" + (near.empty() ? "" : "; did you mean " + near + "?") +
                    "; see et-generate --list");
}

std::string file_name(const GenerateRequest& r) {
  const TraceKind* kind = find_trace_kind(r.kind);
  std::string name(r.like_reference ? kind->reference_case : kind->name);
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}

void write(MadeSet& set, const Options& o, tools::Context& context) {
  const SinkOptions options{.to = o.output.to,
                            .path = o.output.path,
                            .force = o.output.force,
                            .history = o.output.no_history ? "" : context.history(),
                            .jobs = context.jobs()};
  const SinkPlan plan = plan_sink(set, options);
  if (o.output.to_stdout() && plan.binary()) tools::refuse_binary_on_tty("or write text with -t json");
  if (plan.choice.format->write_algorithm != nullptr) {
    if (set.algorithm() == nullptr)
      throw usage_error("kind " + o.kind[0] + " is no algorithm; " + std::string(plan.choice.format->name) +
                        " can be written of collectives");
    check_structure(*set.algorithm(), context.diagnostics);  // limits of the runtimes
  }
  if (context.failed()) return;
  context.report();
  write_set(set, plan, options, context.diagnostics);
  log_info(set.base_name() + ": " + counted(set.independent_ranks(), "rank"));
}

void generate(const Options& o, tools::Context& context) {
  check_kind(o);
  if (const auto collective = collective_of(o.kind[0])) {
    const Algorithm algorithm = build_collective(algorithm_request(o, *collective));
    if (o.size && *o.size < algorithm.chunks)
      throw usage_error("--size " + std::to_string(*o.size) + " is less than one byte for each of the " +
                        counted(algorithm.chunks, "chunk"));
    const Lowering lowering(algorithm, o.size, context.diagnostics);
    MadeSet set(algorithm.name, static_cast<Rank>(algorithm.ranks()), [&](Rank rank) {
      Trace trace;
      trace.rank = rank;
      trace.name = algorithm.name;
      lowering.lower(rank, trace);
      return trace;
    });
    set.set_algorithm(algorithm);
    write(set, o, context);
  } else {
    const GenerateRequest request = trace_request(o);
    MadeSet set(file_name(request), request.ranks, trace_generator(request));
    set.set_follows_reference(request.like_reference);
    write(set, o, context);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  const tools::ToolInfo info{
      .name = "et-generate",
      .summary = "make collective algorithms and synthetic traces",
      .operands = "KIND",
      .examples = {{"et-generate all_reduce --algorithm ring --npus 8 --size 1MiB -o ring8",
                    "an algorithm as a trace set, ring8.0.et … ring8.7.et"},
                   {"et-generate all_to_all --dims 4x8 --algorithm hierarchical -t msccl",
                    "an algorithm as MSCCL-IR, for NCCL and RCCL"},
                   {"et-generate layers --npus 16 --layers 24 --comm all_reduce:64MiB -o toy",
                    "a training step of 16 ranks"},
                   {"et-generate random --seed 7 | et-validate", "a test case"}},
      .reads_files = false,
  };
  return tools::run_tool(
      argc, argv, info, [&](tools::App& app) { declare(app, o); },
      [&](tools::Context& context) {
        if (o.list) {
          convert::write_bytes(std::nullopt, list_text());
        } else {
          generate(o, context);
        }
        return 0;
      });
}
