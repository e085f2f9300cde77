// SPDX-License-Identifier: MIT
#include "generate/synthesized.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/source.h"
#include "core/rank_list.h"
#include "core/units.h"
#include "core/words.h"
#include "formats/format.h"
#include "generate/exported.h"
#include "generate/library_time.h"
#include "generate/options.h"
#include "generate/pieces.h"
#include "generate/sizes.h"
#include "generate/together.h"
#include "generate/write.h"
#include "passes/lower/fit_runtime.h"
#include "scenario/bench/call_series.h"
#include "scenario/synthesized/judged_builders.h"
#include "sets/schedules.h"
#include "sets/sink.h"
#include "sets/synthesized/synthesized.h"
#include "synthesis/bounds/report.h"
#include "synthesis/portfolio/candidates.h"
#include "synthesis/together/problem.h"
#include "util/log.h"

namespace tools {

using namespace convert;

namespace {

void refuse(const std::string& given, const char* why) {
  if (!given.empty()) throw usage_error(given + why);
}

// Refuses options that do not apply to synthesized algorithms.
void check_options(const GenerateOptions& o, const Context& context) {
  refuse(context.first_given("Workloads"), " is for workloads, not for collectives");
  check_show(o, "sizes");
  refuse(o.compat ? "--compat" : context.first_given("Traces"), " is for kinds of traces, not for collectives");
  if (!o.noise.empty()) throw usage_error("--noise is for kinds of traces and workloads, not for collectives");
  if (o.algorithm->find(',') != std::string::npos)
    throw usage_error("-a " + *o.algorithm + ": et-generate takes settings as options, such as --effort fast");
  const SynthesisOptions& s = o.synthesis;
  if (!s.network)
    throw usage_error(
        "--algorithm synthesized requires a network; give -n FILE, or a short form such as -n "
        "ring:8,bw=50GB/s,lat=500ns");
  if (o.sizes.empty())
    throw usage_error("--algorithm synthesized requires --size; the best algorithm depends on the size");
  check_sizes(o);
  refuse(o.dims                      ? "--dims"
         : !o.dim_algorithms.empty() ? "--dim-algorithms"
         : o.proto                   ? "--proto"
                                     : "",
         " cannot be combined with --algorithm synthesized");
  if (s.bound && o.show) throw usage_error("--bound and --show sizes cannot be combined; give only one");
  if (s.bound || o.show) {
    const std::string why = s.bound ? " cannot be combined with --bound, which makes no algorithm"
                                    : " cannot be combined with --show sizes, which writes no algorithm";
    refuse(o.output.path ? "-o" : o.output.to ? "-t" : "", why.c_str());
  } else {
    if (o.format) throw usage_error("--format is for --bound and --show sizes");
    check_files_of_sizes(o);
  }
  if (s.target && !o.show && written_format(o.output.to, o.output.path).format->name != "msccl")
    throw usage_error("--target " + *s.target + " requires MSCCL-IR output; give -t msccl");
  if (s.bound) {
    refuse(o.chunks                ? "--chunks"
           : !s.methods.empty()    ? "--method"
           : s.target              ? "--target"
           : s.effort != "normal"  ? "--effort"
           : s.objective != "time" ? "--objective"
           : s.time_limit_ps       ? "--time-limit"
           : s.most_pieces         ? "--max-chunks"
           : o.seed                ? "--seed"
                                   : "",
           " cannot be combined with --bound, which makes no algorithm");
    if (o.sizes.size() > 1) throw usage_error("--bound requires a single --size");
  }
}

SynthesisMethod method_of(const std::string& text) {
  std::vector<std::string> known;
  for (const SynthesisMethod m : synthesis_methods) {
    if (same_name(text, name(m))) return m;
    known.emplace_back(name(m));
  }
  throw usage_error("--method " + text + ": expected one or more of " + join(known) + ", or auto");
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
  if (s.most_pieces)
    choice.most_pieces = static_cast<std::uint32_t>(std::max(*s.most_pieces, o.chunks.value_or(1)));
  choice.seed = static_cast<std::uint64_t>(o.seed.value_or(1));
  choice.jobs = context.jobs();
  choice.objective = s.objective == "bandwidth"   ? SynthesisObjective::bandwidth
                     : s.objective == "transfers" ? SynthesisObjective::transfers
                                                  : SynthesisObjective::time;
  if (s.time_limit_ps)
    choice.until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(*s.time_limit_ps / ps_per_ns);
  return choice;
}

bool writes_schedule(const GenerateOptions& o) {
  return written_format(o.output.to, o.output.path).format->name == "ten";
}

// Returns the forwarding of an algorithm: --forwarding, else the default of et-replay. Schedules, and several
// collectives at once, have store-and-forward switches. Without switches both are the same.
Forwarding forwarding_of(const GenerateOptions& o, const NetworkConfig& network) {
  const std::optional<std::string>& text = o.synthesis.forwarding;
  if (!text) {
    const bool stored = writes_schedule(o) || asks_for_several(o) || build_wire_graph(network).switches == 0;
    return stored ? Forwarding::store : Forwarding::switches;
  }
  return *std::ranges::find(all_forwarding, *text, [](Forwarding f) { return name(f); });
}

// Notes that the result requires store-and-forward if the command does not name it.
void note_stored(const GenerateOptions& o, const NetworkConfig& network, const std::string& what) {
  if (o.synthesis.forwarding || build_wire_graph(network).switches == 0) return;
  log_note(what +
           " require store-and-forward switches; et-replay reaches the claimed time only with --forwarding store");
}

SynthesisRequest request_of(const GenerateOptions& o, const NetworkConfig& network) {
  const SynthesisOptions& s = o.synthesis;
  const auto collective = parse_collective(o.kind[0], can_synthesize);
  if (!collective)
    throw usage_error("--algorithm synthesized is for " + join(names_of(can_synthesize)) + ", not for " +
                      o.kind[0]);
  SynthesisRequest request{
      .collective = *collective,
      .bytes = *o.size(),
      .group_only = s.group_only,
      .failed = s.failed,
      .avoid = s.avoid,
      .only = s.only,
      .occupancy = s.occupancy == "beta" ? Schedule::Occupancy::beta : Schedule::Occupancy::alpha_beta,
      .forwarding = forwarding_of(o, network)};
  if (s.group && !asks_for_several(o)) request.group = parse_ranks(*s.group, "--group");
  if (o.root) request.root = static_cast<Rank>(*o.root);
  if (o.root && !has_root(*collective)) throw usage_error("--root is not for " + std::string(name(*collective)));
  if (o.npus && *o.npus != network.npus())
    throw usage_error("--npus " + std::to_string(*o.npus) + ": the network has " +
                      counted(static_cast<std::uint64_t>(network.npus()), "NPU"));
  if (s.target && (*collective == Collective::gather || *collective == Collective::scatter))
    throw usage_error("--target " + *s.target + " is not for " + std::string(name(*collective)) +
                      (*s.target == "rccl"
                           ? ": RCCL counts the chunks of one rank, MSCCL-IR the chunks of all ranks"
                           : ", which MSCCL does not support"));
  if (s.group_only && !s.group && network.graph.participants.empty())
    throw usage_error("--group-only requires --group");
  return request;
}

bool adds(Collective c) {
  return c == Collective::all_reduce || c == Collective::reduce || c == Collective::reduce_scatter;
}

// Result for one size: a schedule with its algorithm, or an algorithm that no schedule expresses.
struct MadeForSize {
  SynthesizedAlgorithm synthesized{};
  Algorithm algorithm{};
  std::optional<ExportedTime> exported{};  // of MSCCL-IR, if all NPUs take part
  // Returns the time of the result, in the form in which it is written.
  [[nodiscard]] Picoseconds total() const { return exported ? exported->total : synthesized.total; }
};

class Generation {
 public:
  Generation(const GenerateOptions& o, Context& context)
      : o_(o),
        context_(context),
        network_(find_network(*o.synthesis.network)),
        request_(request_of(o, network_)),
        format_(written_format(o.output.to, o.output.path).format->name),
        timer_(timer_by_replay(network_, request_)) {
    report_network(network_);
    if (writes_schedule(o)) note_stored(o, network_, "schedules (ten)");
    if (format_ == "ten" && request_.forwarding != Forwarding::store && build_wire_graph(network_).switches != 0) {
      throw usage_error(
          "--forwarding " + std::string(name(request_.forwarding)) +
          ": schedules (ten) require store-and-forward switches; give --forwarding store, or write traces "
          "instead");
    }
  }

  void print_bounds() {
    const SynthesisProblem problem = make_problem(network_, request_, context_.diagnostics);
    const Bounds bounds = find_bounds(problem);
    const bool json = o_.format.value_or("text") == "json";
    write_bytes(std::nullopt, json ? bounds_json(problem, bounds) : bounds_text(problem, bounds));
  }

  void print_sizes() {
    CallSeries series{.collective = request_.collective, .algorithm_title = "method"};
    for (const std::int64_t bytes : o_.sizes) {
      request_.bytes = bytes;
      const SynthesisProblem problem = problem_of_size();
      const MadeForSize made = make(problem);
      series.npus = problem.size();
      series.calls.push_back({.bytes = problem.bytes,
                              .time = made.total(),
                              .algorithm = made.synthesized.method,
                              .bound = made.synthesized.limits.lower});
      if (network_.machine != nullptr)
        compare_with_library(network_, request_, problem.size(), made.algorithm, series.calls.back());
    }
    write_bytes(std::nullopt, o_.format.value_or("text") == "json" ? series_json(series) : series_text(series));
  }

  void write(const std::function<void(const Algorithm&)>& watch) {
    for (std::size_t i = 0; i < o_.sizes.size(); ++i) {
      check_output(std::string(name(request_.collective)) + "_synthesized", static_cast<Rank>(network_.npus()),
                   options_of_size(o_, i), context_);
    }
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < o_.sizes.size(); ++i) {
      request_.bytes = o_.sizes[i];
      largest_call_ = options_of_size(o_, i).largest_call;
      const SynthesisProblem problem = problem_of_size();
      MadeForSize made = make(problem);
      if (made.algorithm.scheduled && problem.cuts.empty()) log_info(made.synthesized.made.summary);
      log_info(made.synthesized.summary());
      if (made.exported)
        log_note(made.algorithm.name + ": " +
                 exported_text(*made.exported, made.synthesized.total, adds(request_.collective)));
      begin = choose_calls(made.algorithm, i, begin);
      if (watch) watch(made.algorithm);
      GenerateOptions own = options_of_size(o_, i);
      own.sizes = {problem.bytes};
      write_algorithm(made.algorithm, made.algorithm.scheduled ? &made.synthesized.made.schedule : nullptr, own,
                      context_);
    }
  }

 private:
  // For a runtime, only the participating NPUs are GPUs; the other NPUs forward messages as switches do.
  SynthesisProblem problem_of_size() {
    SynthesisProblem problem = make_problem(network_, request_, context_.diagnostics);
    if (!o_.synthesis.target || problem.size() == problem.wires.npus) return problem;
    return std::move(make_joint_problem({std::move(problem)}).placed.front());
  }

  MadeForSize make(const SynthesisProblem& problem) {
    SynthesisChoice choice = choice_of(o_, context_);
    const bool targeted = o_.synthesis.target.has_value();
    choice.even = targeted;  // MSCCL-IR has chunks of one size
    if (targeted && !o_.chunks) {
      warn_of_whole_parts(problem);
      limit_pieces(problem, choice);
    }
    // A judge uses the NPU numbers of the whole network.
    const AlgorithmJudge judge = problem.wires.npus == static_cast<std::uint32_t>(network_.npus())
                                     ? judge_by_replay(network_, request_)
                                     : AlgorithmJudge{};
    MadeForSize out = make(problem, choice, judge);
    if (out.synthesized.stopped)
      context_.diagnostics.warning({.file = problem.source}, "time-limit",
                                   "the time limit was reached; the result depends on this machine");
    // Quick methods use other numbers of pieces, which may give a faster program of a slower schedule.
    if (slower_as_program(out) && choice.effort != SynthesisEffort::fast && !is_late(choice)) {
      choice.effort = SynthesisEffort::fast;
      try {
        MadeForSize quick = make(problem, choice, judge);
        if (quick.total() < out.total()) out = std::move(quick);
      } catch (const Error& e) {
        if (e.kind() != Error::Kind::usage && e.kind() != Error::Kind::input)
          throw;  // otherwise there is no quick result
      }
    }
    return out;
  }

  MadeForSize make(const SynthesisProblem& problem, SynthesisChoice choice, const AlgorithmJudge& judge) {
    MadeForSize out;
    while (true) {
      out.synthesized = synthesize_algorithm(problem, choice, context_.diagnostics, judge);
      const RuntimeFit fitted = finish(problem, out);
      if (fitted.exceeded.empty()) break;
      if (o_.chunks || !take_fewer_pieces(problem, out.algorithm.chunks, fitted.times, choice))
        throw input_error(
            {.file = problem.source},
            fitted.exceeded + (o_.chunks ? "; reduce --chunks" : "; no algorithm with fewer steps was found"),
            "limits");
    }
    take_other_pieces(problem, choice, judge, out);
    take_builder(problem, choice, out);
    return out;
  }

  [[nodiscard]] bool makes_programs() const { return format_ == "msccl" || o_.synthesis.target; }

  // Makes the algorithm of the synthesis result, within the limits of the runtime, and measures its time.
  RuntimeFit finish(const SynthesisProblem& problem, MadeForSize& out) const {
    if (!makes_programs()) {
      out.algorithm = std::move(out.synthesized.made.algorithm);
      return {};
    }
    out.algorithm = out.synthesized.made.algorithm;
    RuntimeFit fitted = fit(problem, out.algorithm);
    if (fitted.exceeded.empty())
      out.exported = time_exported(problem, out.synthesized.made.algorithm, out.algorithm);
    return fitted;
  }

  // Returns the time of the MSCCL-IR output. `written` is within the limits of a runtime if one is named. The
  // replay uses the NPU numbers of the network.
  [[nodiscard]] std::optional<ExportedTime> time_exported(const SynthesisProblem& problem, const Algorithm& made,
                                                          const Algorithm& written) const {
    if (!makes_programs() || problem.size() != static_cast<std::uint32_t>(network_.npus()) ||
        problem.wires.npus != problem.size() || problem.size() < 2)
      return std::nullopt;
    return exported_time(timer_, made, o_.synthesis.target ? &written : nullptr, problem.bytes);
  }

  [[nodiscard]] static bool slower_as_program(const MadeForSize& made) {
    return made.exported && made.exported->total > made.synthesized.total + made.synthesized.total / 100;
  }

  // A program may be slower than its schedule. Then other numbers of pieces are tried, and compared as programs.
  void take_other_pieces(const SynthesisProblem& problem, const SynthesisChoice& choice,
                         const AlgorithmJudge& judge, MadeForSize& out) {
    if (!slower_as_program(out) || choice.pieces || o_.chunks || choice.objective != SynthesisObjective::time)
      return;
    const std::uint32_t most = choice.most_pieces != 0 ? choice.most_pieces : usual_most_pieces(problem);
    const std::uint64_t pairs = std::uint64_t{problem.size()} * problem.size();
    for (std::uint32_t pieces = 1; pieces <= most && pairs * pieces <= quick_moves && !is_late(choice);
         pieces *= 2) {
      Diagnostics ignored;
      SynthesisChoice other = choice;
      other.pieces = has_root(problem.collective) ? pieces * problem.size() : pieces;
      MadeForSize made;
      try {
        made.synthesized = synthesize_algorithm(problem, other, ignored, judge);
      } catch (const Error& e) {
        if (e.kind() != Error::Kind::usage && e.kind() != Error::Kind::input) throw;
        continue;  // no algorithm with this number of pieces
      }
      if (!finish(problem, made).exceeded.empty() || !made.exported) continue;
      if (made.exported->total < out.exported->total) out = std::move(made);
    }
  }

  [[nodiscard]] const RuntimeLimits& limits() const { return runtime_of(*o_.synthesis.target); }

  // Excludes numbers of pieces that need too many steps in any case: each GPU receives each piece and sends as
  // many. Also excludes chunks that are not whole elements.
  void limit_pieces(const SynthesisProblem& problem, SynthesisChoice& choice) const {
    const bool split = adds(problem.collective) && !limits().adds_received;
    const std::uint64_t phases = (problem.collective == Collective::all_reduce ? 4U : 2U) + (split ? 1U : 0U);
    const std::uint64_t steps = std::min<std::uint64_t>(
        std::uint64_t{limits().steps} * std::min(limits().threadblocks, awaited_threadblocks), most_xml_elements);
    const std::int64_t elements = problem.shard_bytes / element_bytes(problem);
    const std::uint64_t parts = has_root(problem.collective) ? problem.size() : 1;
    if (choice.most_pieces == 0) choice.most_pieces = usual_most_pieces(problem);
    while (choice.most_pieces > 1 && (phases * choice.most_pieces * (problem.size() - 1) > steps ||
                                      parts * choice.most_pieces > static_cast<std::uint64_t>(elements)))
      choice.most_pieces /= 2;
  }

  void warn_of_whole_parts(const SynthesisProblem& problem) const {
    constexpr std::int64_t large = std::int64_t{1} << 16U;
    if (problem.shard_bytes < large || problem.shard_bytes / element_bytes(problem) % 2 == 0) return;
    constexpr std::int64_t usual = std::int64_t{64} * 8;  // pieces, bytes of an element
    context_.diagnostics.warning(
        {.file = problem.source}, "sizes",
        "shards of " + std::to_string(problem.shard_bytes) +
            " bytes cannot be divided into chunks of one size, and are sent whole; a --size that is a "
            "multiple of " +
            std::to_string(usual * problem.size()) + " may be faster");
  }

  // Fits the algorithm to the named runtime, if there is one. Otherwise returns the exceeded limits of the runtime.
  RuntimeFit fit(const SynthesisProblem& problem, Algorithm& algorithm) const {
    if (!o_.synthesis.target) return {};
    // The narrower limits have fewer steps, which gives more channels.
    RuntimeLimits narrow = limits();
    narrow.steps = std::min(narrow.steps, rccl_limits.steps);
    narrow.threadblocks = std::min(narrow.threadblocks, rccl_limits.threadblocks);
    RuntimeFit fitted = fit_runtime(algorithm, narrow);
    if (!fitted.algorithm) fitted = fit_runtime(algorithm, limits());
    if (!fitted.algorithm) return fitted;
    if (!o_.chunks && !has_whole_elements(problem, algorithm)) {
      fitted.exceeded =
          "chunks of " + std::to_string(problem.bytes / algorithm.chunks) + " bytes are not whole elements";
      return fitted;
    }
    algorithm = std::move(*fitted.algorithm);
    return {};
  }

  // Some small collectives are faster with algorithms that no schedule expresses.
  void take_builder(const SynthesisProblem& problem, const SynthesisChoice& choice, MadeForSize& out) {
    const bool wanted = choice.effort != SynthesisEffort::fast &&
                        choice.objective != SynthesisObjective::bandwidth && format_ != "ten" &&
                        wants(choice, SynthesisMethod::builders) && request_.avoid.empty() && request_.only.empty();
    if (!wanted) return;
    SynthesizedAlgorithm& s = out.synthesized;
    std::optional<JudgedBuilder> builder =
        fastest_builder(network_, request_, problem, choice,
                        {.limit = out.total(),
                         .takes = [&](Algorithm algorithm) { return fit(problem, algorithm).exceeded.empty(); },
                         .largest_call = makes_programs() ? largest_call_ : std::nullopt});
    if (!builder || out.total() <= tolerated_time(choice.objective, builder->total)) return;
    Algorithm written = builder->algorithm;
    (void)fit(problem, written);  // fits it to the runtime
    const auto exported = time_exported(problem, builder->algorithm, written);
    if (out.exported && (!exported || exported->total >= out.exported->total)) return;
    s.set_time(problem, builder->total, builder->algorithm.steps.size() * problem.graph.devices);
    out.algorithm = std::move(written);
    out.exported = exported;
    s.method = builder->name;
  }

  // Chooses the range of calls of an algorithm. Returns the start of the range of the next size.
  std::int64_t choose_calls(Algorithm& algorithm, std::size_t i, std::int64_t begin) const {
    const RuntimeLimits* const target = o_.synthesis.target ? &limits() : nullptr;
    const SizedCalls calls = calls_of_size(o_, i, begin, algorithm.chunks, target);
    if (algorithm.scheduled) {
      algorithm.min_bytes = calls.range.min;
      algorithm.max_bytes = calls.range.max;
      return calls.end;
    }
    const auto most = set_calls(algorithm, calls.range, target);
    if (most && *most < o_.sizes[i])
      context_.diagnostics.warning({.file = algorithm.name}, "fifo",
                                   "steps of several chunks hang in calls of more than " + std::to_string(*most) +
                                       " bytes, but the algorithm is for " + std::to_string(o_.sizes[i]) +
                                       " bytes; maxBytes excludes such calls");
    return calls.end;
  }

  const GenerateOptions& o_;
  Context& context_;
  NetworkConfig network_;
  SynthesisRequest request_;
  std::string_view format_;
  AlgorithmTimer timer_;
  std::optional<std::int64_t> largest_call_{};  // of the current size
};

}  // namespace

void generate_synthesized(const GenerateOptions& o, Context& context,
                          const std::function<void(const Algorithm&)>& watch) {
  check_options(o, context);
  if (asks_for_several(o)) {
    const NetworkConfig network = find_network(*o.synthesis.network);
    report_network(network);
    note_stored(o, network, "several collectives at once");
    return generate_together(o, network, request_of(o, network), choice_of(o, context), context);
  }
  Generation generation(o, context);
  if (o.synthesis.bound) return generation.print_bounds();
  if (o.show) return generation.print_sizes();
  try {
    generation.write(watch);
  } catch (const Error& e) {
    if (e.rule() != parts_of_sums) throw;
    const NetworkConfig network = find_network(*o.synthesis.network);
    GenerateOptions own = o;
    if (o.synthesis.forwarding.value_or("switches") == "switches" &&
        (!o.synthesis.forwarding || build_wire_graph(network).switches == 0))
      own.synthesis.forwarding = "store";  // the same without switches
    if (!can_be_placed(own)) throw;
    log_note("NPUs outside the group only forward messages here, as for several collectives at once");
    note_stored(o, network, "such algorithms");
    generate_together(own, network, request_of(own, network), choice_of(own, context), context);
  }
}

}  // namespace tools
