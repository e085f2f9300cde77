// SPDX-License-Identifier: MIT
#include "generate/together.h"

#include <set>
#include <utility>

#include "core/rank_list.h"
#include "core/units.h"
#include "core/words.h"
#include "formats/format.h"
#include "generate/write.h"
#include "passes/lower/call_range.h"
#include "sets/made_set.h"
#include "sets/sink.h"
#include "sets/synthesized/together.h"
#include "synthesis/together/joint_bounds.h"
#include "util/log.h"

namespace tools {

using namespace convert;

namespace {

// Refuses options that are for one collective only.
void check_options(const GenerateOptions& o) {
  const SynthesisOptions& s = o.synthesis;
  const bool groups = s.group && s.group->find(';') != std::string::npos;
  const std::string given = o.show                                      ? "--show"
                            : s.target                                  ? "--target"
                            : s.group_only                              ? "--group-only"
                            : s.objective != "time"                     ? "--objective"
                            : s.forwarding.value_or("store") != "store" ? "--forwarding"
                            : o.root && groups                          ? "--root"
                                                                        : "";
  if (!given.empty())
    throw usage_error(given + " is for one collective only; " +
                      (given == "--root" ? "several collectives have the first NPU of their group as root"
                                         : "--group and --also request several at once"));
  if (o.sizes.size() > 1) throw usage_error("several collectives at once require a single --size");
}

// A requested collective, and its name in messages.
struct Asked {
  SynthesisRequest request;
  std::string text;
};

void add_groups(const SynthesisRequest& of, const std::optional<std::string>& groups, const std::string& option,
                std::vector<Asked>& out) {
  const std::string kind(name(of.collective));
  if (!groups) {
    out.push_back({of, kind + " of all NPUs"});
    return;
  }
  for (const std::string& group : split(*groups, ';')) {
    if (group.empty())
      throw usage_error(option + " " + *groups + ": a group is empty; expected groups such as 0-3;4-7");
    Asked& a = out.emplace_back(Asked{of, kind + " of NPUs " + group});
    a.request.group = parse_ranks(group, option);
  }
}

// Parses "COLLECTIVE:BYTES[:RANKS[;RANKS...]]".
void add_also(const SynthesisRequest& first, const std::string& text, std::vector<Asked>& out) {
  const auto bad = [&](const std::string& why) {
    return usage_error("--also " + text + ": " + why +
                       "; expected COLLECTIVE:BYTES, or COLLECTIVE:BYTES:RANKS;RANKS, "
                       "such as all_reduce:64MiB:0-3;4-7");
  };
  const std::vector<std::string> parts = split(text, ':');
  const auto collective = parse_collective(parts[0], can_synthesize);
  if (!collective) throw bad("'" + parts[0] + "' is not one of " + join(names_of(can_synthesize)));
  if (parts.size() < 2) throw bad("the size is missing");
  if (parts.size() > 3) throw bad("it has too many parts");
  const auto bytes = parse_bytes(parts[1]);
  if (!bytes || *bytes < 1) throw bad("'" + parts[1] + "' is not a size in bytes");
  SynthesisRequest request = first;
  request.collective = *collective;
  request.bytes = *bytes;
  request.root.reset();
  add_groups(request, parts.size() == 3 ? std::optional(parts[2]) : std::nullopt,
             "--also " + parts[0] + ":" + parts[1] + ":", out);
}

class Together {
 public:
  Together(const GenerateOptions& o, const NetworkConfig& network, const SynthesisRequest& first, Context& context)
      : o_(o), context_(context) {
    std::vector<Asked> asked;
    add_groups(first, o.synthesis.group, "--group", asked);
    for (const std::string& text : o.synthesis.also) add_also(first, text, asked);
    std::set<std::string> told;
    for (const Asked& a : asked) {
      Diagnostics findings;
      try {
        problems_.push_back(make_problem(network, a.request, findings));
      } catch (const Error& e) {
        throw Error(e.kind(), e.where(), a.text + ": " + e.what(), std::string(e.rule()));
      }
      for (const Diagnostic& d : findings.all()) {
        if (told.insert(d.message).second) context.diagnostics.add(d);
      }
    }
  }

  void print_bounds() {
    const JointProblem problem = make_joint_problem(std::move(problems_));
    const JointBounds bounds = find_joint_bounds(problem);
    const bool json = o_.format.value_or("text") == "json";
    write_bytes(std::nullopt, json ? joint_bounds_json(problem, bounds) : joint_bounds_text(problem, bounds));
  }

  void write(const SynthesisChoice& choice) {
    const Format& format = *written_format(o_.output.to, o_.output.path).format;
    const bool relayed = format.write_schedule != nullptr;
    const bool apart = relayed || format.write_algorithm != nullptr;
    if (apart && problems_.size() > 1 && o_.output.to_stdout())
      throw usage_error("several collectives require several files; give -o NAME, to which numbers are added");
    check_outputs(apart);
    const JointAlgorithms made = make_together(std::move(problems_), choice);
    tell(made);
    if (apart) return write_each(made, relayed);
    const JointTraces traces(made, network_id(made.problem.named.front().wires), context_.diagnostics);
    MadeSet set(traces.name(), traces.ranks(), [&](Rank rank) { return traces.trace(rank); });
    if (const auto groups = traces.groups()) set.set_groups(*groups);
    write_made(set, o_, context_);
  }

 private:
  void check_outputs(bool apart) {
    const std::string name(convert::name(problems_.front().collective));
    const auto ranks = static_cast<Rank>(problems_.front().graph.npus);
    for (std::size_t c = 0; c < (apart ? problems_.size() : 1); ++c) {
      GenerateOptions own = o_;
      if (apart) own.output.path = path_of(c, problems_.size());
      check_output(name + "_synthesized", ranks, own, context_);
    }
  }

  void tell(const JointAlgorithms& made) {
    log_info(made.summary());
    for (std::size_t c = 0; c < made.problem.size(); ++c)
      log_info(collective_text(made.problem.named[c]) + ": " + format_time(made.result.made[c].total) + ", alone " +
               format_time(made.result.alone[c]));
    if (made.result.stopped)
      context_.diagnostics.warning({.file = made.problem.named.front().source}, "time-limit",
                                   "the time limit was reached; the result depends on this machine");
  }

  [[nodiscard]] std::optional<std::string> path_of(std::size_t c, std::size_t count) const {
    return count > 1 ? numbered_path(*o_.output.path, c) : o_.output.path;
  }

  void write_each(const JointAlgorithms& made, bool relayed) {
    std::vector<std::pair<std::size_t, CheckedSchedule>> all;  // all are made before the first is written
    for (std::size_t c = 0; c < made.problem.size(); ++c) {
      const SynthesisProblem& p = made.problem.named[c];
      if (p.size() > 1) all.emplace_back(c, relayed ? relayed_schedule(made, c) : algorithm_of(made, c));
    }
    if (all.empty()) {
      const SynthesisProblem& p = made.problem.named.front();
      throw input_error({.file = p.source},
                        collective_text(p) + ": nothing is transferred, which this format cannot express");
    }
    for (auto& [c, own] : all) {
      const SynthesisProblem& p = made.problem.named[c];
      const CallRange calls = calls_around(p.bytes);
      own.algorithm.min_bytes = calls.min;
      own.algorithm.max_bytes = calls.max;
      GenerateOptions with = o_;
      with.sizes = {p.bytes};
      with.output.path = path_of(c, made.problem.size());
      write_algorithm(own.algorithm, &own.schedule, with, context_);
    }
  }

  const GenerateOptions& o_;
  Context& context_;
  std::vector<SynthesisProblem> problems_;
};

}  // namespace

bool can_be_placed(const GenerateOptions& o) {
  const SynthesisOptions& s = o.synthesis;
  return !s.bound && !o.show && !s.target && !s.group_only && s.objective == "time" && s.forwarding == "store" &&
         o.sizes.size() == 1;
}

bool asks_for_several(const GenerateOptions& o) {
  const SynthesisOptions& s = o.synthesis;
  return !s.also.empty() || (s.group && s.group->find(';') != std::string::npos);
}

void generate_together(const GenerateOptions& o, const NetworkConfig& network, const SynthesisRequest& first,
                       const SynthesisChoice& choice, Context& context) {
  check_options(o);
  Together together(o, network, first, context);
  if (o.synthesis.bound) return together.print_bounds();
  together.write(choice);
}

}  // namespace tools
