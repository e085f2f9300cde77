// SPDX-License-Identifier: MIT
#include "link/options.h"

#include <cerrno>
#include <filesystem>
#include <utility>

#include "common/relaxing.h"
#include "core/rank_list.h"
#include "core/world_size.h"
#include "passes/summary_bytes.h"
#include "passes/validate.h"
#include "sets/check.h"
#include "sets/derived/relaxing.h"
#include "sets/missing_ranks.h"
#include "util/log.h"

namespace tools {

using namespace convert;

void add_link_options(App& app, LinkToolOptions& to) {
  app.group("Input");
  app.add_option("--host", to.host, "FILE", "host execution trace; %r in the name: the rank, with * for any text");
  app.add_option("--device", to.device, "FILE", "Kineto trace of the same rank; %r as above");
  app.add_integer("--rank", to.rank, 0, 0xffffff, "N",
                  "rank of a single pair of files (default: as --device says, else 0)");
  app.add_option("--ranks", to.ranks, "LIST", "ranks to link, as 0-3,8 (default: all that have files)");
  app.group("Linking");
  app.add_choice("--gaps", to.gaps, {"keep", "drop"}, "time of CPU threads between operators: delay nodes, or not");
  app.add_choice("--metadata-nodes", to.metadata_nodes, {"drop", "keep"},
                 "announcements of process groups: no nodes, or METADATA nodes");
  app.add_flag("--data-deps", to.data_deps, "also dependencies between tensors' writers and readers");
  app.add_flag("--reduce", to.reduce, "without dependencies that others imply");
  app.add_flag("--relax", to.relax, "without the order that makes ranks wait for each other in a circle");
  app.add_choice("--compat", to.compat, {"chakra"}, "as MLCommons Chakra links and converts, byte for byte");
  app.group("Checks");
  app.add_flag("--mismatched", to.mismatched, "link files of different processes or ranks all the same");
  app.add_choice("--unmatched", to.unmatched, {"warn", "error", "keep"}, "operations without a partner")
      .no_history();
  app.add_choice("--check", to.check, {"error", "warn", "off"},
                 "collectives and messages across ranks (default: error; with --ranks: warn)")
      .no_history();
  app.add_option("--report", to.report, "FILE", "write what was matched and what was not, as JSON").no_history();
  app.add_flag("--list-unmatched", to.list_unmatched, "name each unmatched operation in the report").no_history();
}

namespace {

const std::string& host_of(const LinkToolOptions& options) {
  if (!options.host) throw usage_error("--host is missing: the host execution trace (see --help)");
  return *options.host;
}

}  // namespace

Linking::Linking(const LinkToolOptions& options, const OutputOptions& output, Context& context, LinkTeam* team)
    : options_(options), output_(output), context_(context), team_(team), host_(host_of(options)) {
  if (options.device) device_.emplace(*options.device);
  const bool many = host_.has_rank();
  if (device_ && device_->has_rank() != many) {
    throw usage_error("--host and --device: both names need %r, or none");
  }
  if (many && options.rank) throw usage_error("--rank is for a single pair of files; --ranks selects among many");
  if (!many && options.ranks)
    throw usage_error(
        "--ranks needs %r in the names of the files; of a set that is linked, et-split --ranks takes some");
  if (options.list_unmatched && !options.report) throw usage_error("--list-unmatched needs --report");
  if (options.relax && !many) throw usage_error("--relax is for several ranks, with %r in the names of the files");
  if (options.relax && team_ != nullptr)
    throw usage_error(
        "--relax needs all ranks in one process; without it, et-validate --fix does the same afterwards");
  if (team_ != nullptr && output.to_stdout())
    throw usage_error("several processes write files: name a prefix with -o");
  if (options.report && output.path && *options.report == *output.path && *options.report != "-")
    throw usage_error("-o and --report name the same file");
  if (options.report && *options.report == "-" && output.to_stdout()) {
    throw usage_error("--report -: standard output is for the trace; name a file with -o, or for the report");
  }
  NearRanks near;
  ranks_ = !many           ? std::vector<Rank>{static_cast<Rank>(options.rank.value_or(0))}
           : options.ranks ? parse_ranks(*options.ranks)
                           : host_.ranks(near);
  if (options.ranks) left_out_ = host_.others(ranks_);
  if (near.count != 0 && leads())
    context.diagnostics.warning({.file = *options.host}, "framing", near.text(most_listed_ranks - 1));
  if (options.compat) {
    const bool linked = output.to && *output.to == "linked";
    compat_ = linked ? LinkCompat::chakra_linked : LinkCompat::chakra;
    if (options.unmatched != "warn" || options.check)
      throw usage_error("--compat chakra checks nothing: leave out --unmatched and --check");
    if (options.mismatched) throw usage_error("--compat chakra links what it is given: leave out --mismatched");
    if (options.gaps != "keep" || options.metadata_nodes != "drop" || options.data_deps || options.reduce ||
        options.relax || options.report) {
      throw usage_error(
          "--compat chakra follows the rules of another program; leave out --gaps, --metadata-nodes, "
          "--data-deps, --reduce, --relax and --report");
    }
  } else if (output.to && output.to->starts_with("linked")) {
    throw usage_error("-t linked is the format of MLCommons Chakra's linker; add --compat chakra");
  }
}

SourceOptions Linking::source_options() {
  SourceOptions o;
  o.from = "pytorch";
  o.hash = !output_.no_history;
  o.progress = context_.progress();
  // Dealt out to the processes like cards.
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (team_ != nullptr && i % team_->size() != team_->number()) continue;
    const Rank rank = ranks_[i];
    o.operands.push_back(host_.of(rank));
    std::error_code error;
    if (const std::string& file = o.operands.back(); file != "-" && !std::filesystem::exists(file, error)) {
      throw system_error(file, error ? error.value() : ENOENT);
    }
    const bool told = host_.has_rank() || options_.rank;
    o.linked.push_back({told ? std::optional(rank) : std::nullopt, device_ ? device_->of(rank) : std::string()});
  }
  LinkingOptions linking;
  linking.compat = compat_;
  linking.mismatched = options_.mismatched;
  linking.tell_coverage = options_.unmatched != "keep";
  linking.link = {.keep_gaps = options_.gaps == "keep",
                  .data_deps = options_.data_deps,
                  .reduce = options_.reduce,
                  .metadata_nodes = options_.metadata_nodes == "keep",
                  .list_unmatched = options_.list_unmatched};
  o.linking = std::move(linking);
  if (compat_ == LinkCompat::none) {
    o.on_linked = [this](Rank rank, const std::string& file, const LinkedRank& linked, const Trace* trace) {
      add_rank(rank, file, linked, trace);
    };
    o.whole_linked = ranks_.size() > 1 && check_mode() != "off";
  }
  return o;
}

void Linking::find_circles() {
  if (!options_.relax) return;
  SourceOptions o = source_options();
  o.on_linked = nullptr;
  o.whole_linked = false;
  o.progress = false;
  Diagnostics unheard;  // all is found again
  TraceSource source(std::move(o), unheard);
  relaxation_ = find_relaxation(source, context_.jobs());
  tools::report(relaxation_, context_);
}

SinkOptions Linking::sink_options(TraceSource& source) {
  std::vector<std::string> inputs;
  for (const Rank rank : ranks_) {
    inputs.push_back(host_.of(rank));
    if (device_) inputs.push_back(device_->of(rank));
  }
  SinkOptions o{.to = output_.to,
                .path = output_.path,
                .force = output_.force,
                .history = output_.no_history ? "" : context_.history(),
                .jobs = context_.jobs(),
                .keep = std::move(inputs)};
  if (team_ != nullptr) {
    o.last_rank = ranks_.back();
    o.whole = leads();
  }
  o.before_commit = [this, &source](OutputFiles& files) { check(source, files); };
  return o;
}

void Linking::attend() {
  const bool linked = team_->all(true);
  if (linked) (void)team_->gather({});
  if (!linked || !team_->all(true)) throw input_error({}, "nothing is written: another process has failed");
}

void Linking::write(TraceSource& source, const SinkPlan& plan) {
  if (team_ != nullptr && !plan.per_rank_files) {
    throw usage_error("several processes write files: name a prefix with -o, without a suffix such as .et");
  }
  try {
    RelaxedSource relaxed(source, relaxation_.cuts);
    write_set(relaxed, plan, sink_options(source), context_.diagnostics);
  } catch (...) {
    // The others wait to hear whether all have linked their ranks.
    if (team_ != nullptr && !std::exchange(agreed_, true)) (void)team_->all(false);
    throw;
  }
}

// Called by several threads.
void Linking::add_rank(Rank rank, const std::string& file, const LinkedRank& linked, const Trace* trace) {
  RankFacts r{.rank = rank,
              .file = file,
              .unmatched = linked.report().unmatched,
              .first = linked.report().first,
              .json = {},
              .lines = summary(linked.report()),
              .groups = linked.groups(),
              .world = {},
              .summary = {}};
  append_json(linked.report(), r.json);
  if (trace != nullptr) {
    r.world = world_size(trace->metadata);
    const auto cuts = relaxation_.cuts.find(rank);
    if (cuts == relaxation_.cuts.end()) {
      r.summary = summarise(*trace);
    } else {
      Trace relaxed = *trace;
      cut_dependencies(relaxed.nodes, cuts->second);
      r.summary = summarise(relaxed);
    }
    r.summary->name += " (linked)";  // ids of nodes are those of the result
  }
  const std::lock_guard lock(mutex_);
  linked_.emplace(r.rank, std::move(r));
}

// When all ranks are linked, before any of them gets its name: reports, warns of what is unmatched, and checks
// across ranks. Throws if something keeps them from being written.
void Linking::check(TraceSource& source, OutputFiles& files) {
  if (team_ != nullptr) {
    agreed_ = true;
    if (!team_->all(true)) throw input_error({}, "nothing is written: another process has failed");
    gather(source);
  }
  bool failed = context_.failed();
  std::string hint;
  if (compat_ == LinkCompat::none && leads()) {
    print_summaries();
    report_unmatched();
    failed = context_.failed();
    if (!failed && check_mode() != "off") {
      for (const auto& [rank, r] : linked_) world_sizes_.add(rank, r.file, r.world);
      world_sizes_.warn_if_they_differ(context_.diagnostics);
      warn_of_missing(source);
      check_across_ranks(source);
      failed = context_.failed();
      if (failed) hint = "; --check warn writes all the same";
    }
    if (!failed) write_report(files);
  }
  if (team_ != nullptr && !team_->all(!failed) && !failed) {
    throw input_error({}, "nothing is written: process 0 has found errors");
  }
  if (failed) throw input_error({}, "nothing is written" + hint);
}

// What the others know comes to the first process.
void Linking::gather(TraceSource& source) {
  std::string bytes;
  ByteWriter w(bytes);
  if (!leads()) {
    for (const auto& [rank, r] : linked_) {
      w.put(rank), w.put(r.file), w.put(r.unmatched), w.put(r.json);
      for (const LinkReport::Item& item : r.first) w.put(item.kind), w.put(item.id), w.put(item.name);
      w.put(r.lines.size());
      for (const std::string& line : r.lines) w.put(line);
      w.put(r.groups.size());
      for (const GroupTable::Group& g : r.groups) {
        w.put(g.id), w.put(g.name), w.put(g.description), w.put(g.ranks), w.put(g.size);
      }
      w.put(r.world);
      w.put(r.summary.has_value());
      if (r.summary) put(w, *r.summary);
    }
  }
  for (const std::string& part : team_->gather(bytes)) {
    for (ByteReader in(part); !in.done();) {
      RankFacts r;
      std::size_t n = 0;
      bool has_summary = false;
      in.get(r.rank), in.get(r.file), in.get(r.unmatched), in.get(r.json);
      for (LinkReport::Item& item : r.first) in.get(item.kind), in.get(item.id), in.get(item.name);
      for (in.get(n); n > 0; --n) in.get(r.lines.emplace_back());
      for (in.get(n); n > 0; --n) {
        GroupTable::Group& g = r.groups.emplace_back();
        in.get(g.id), in.get(g.name), in.get(g.description), in.get(g.ranks), in.get(g.size);
      }
      in.get(r.world);
      in.get(has_summary);
      if (has_summary) r.summary = get_summary(in);
      source.add_linked_groups(r.file, r.rank, r.groups);
      linked_.emplace(r.rank, std::move(r));
    }
  }
}

// One message a reason, for all ranks, which names the first.
void Linking::report_unmatched() {
  if (options_.unmatched == "keep") return;
  const bool error = options_.unmatched == "error";
  // The report is written with the set, or not at all.
  std::vector<std::string> notes = {std::string(context_.common.werror ? "without --werror, " : "") +
                                    (error ? "--unmatched warn " : "") +
                                    "--report FILE --list-unmatched names them all; --unmatched keep is silent"};
  for (std::size_t i = 0; i < unmatched_kinds; ++i) {
    const auto kind = static_cast<Unmatched>(i);
    std::uint64_t count = 0;
    const RankFacts* first = nullptr;
    for (const auto& [rank, r] : linked_) {
      count += r.unmatched[i];
      if (r.unmatched[i] != 0 && first == nullptr) first = &r;
    }
    const UnmatchedInfo& info = unmatched_info(kind);
    if (count == 0 || !(error || info.warned)) continue;
    std::string message = unmatched_message(count, first->first[i]);
    if (ranks_.size() > 1) message += " of rank " + std::to_string(first->rank);
    const bool of_host = info.of_host || !options_.device;
    const Location where{.file = (of_host ? host_ : *device_).of(first->rank)};
    if (error) {
      context_.diagnostics.error(where, "unmatched", message, std::exchange(notes, {}));
    } else {
      context_.diagnostics.warning(where, "unmatched", message, std::exchange(notes, {}));
    }
  }
}

// Unless the user named the ranks.
void Linking::warn_of_missing(const TraceSource& source) {
  if (options_.ranks || options_.rank) return;
  std::vector<Rank> present;
  for (const auto& [rank, r] : linked_) present.push_back(rank);
  const std::optional<Rank> world = linked_.size() == 1 ? source.world() : told_world();
  std::optional<Error> defect;
  const auto lists = group_lists(source, std::nullopt, defect);
  const bool many = host_.has_rank();
  const bool by_group = lists && (many || !world);  // of one rank, the size says enough
  const char* const hint =
      many ? "if only some are meant, name them with --ranks"
           : "%r in the names of the files links all of them; if one is meant, name it with --rank";
  warn_of_missing_ranks(*options_.host, present, world, by_group ? &*lists : nullptr, hint, context_.diagnostics);
}

void Linking::check_across_ranks(const TraceSource& source) {
  if (ranks_.size() < 2) return;
  std::vector<TraceSummary> summaries;
  for (auto& [rank, r] : linked_) {
    if (rank != summaries.size()) {
      context_.diagnostics.warning({.file = r.file}, "ranks",
                                   "only some ranks are linked: they are not checked against each other",
                                   {"hint: et-split --ranks makes a set of its own of some ranks, once all are "
                                    "linked"});
      return;
    }
    if (r.summary) summaries.push_back(std::move(*r.summary));
  }
  std::optional<Error> defect;
  const auto lists = group_lists(source, std::nullopt, defect);
  const bool error = check_mode() == "error";
  const auto findings = context_.diagnostics.sibling();
  (void)check_set(summaries, RuleSet::all(), *findings, lists ? &*lists : nullptr, told_world().value_or(0));
  for (const Diagnostic& d : findings->all()) {
    const bool ended = d.rule == "deadlock";  // what was recorded did not wait for ever
    if (error && d.severity == Severity::error && !ended) {
      context_.diagnostics.error(d.where, d.rule, d.message, d.notes);
    } else {
      context_.diagnostics.warning(d.where, d.rule, d.message, d.notes);
    }
  }
}

void Linking::print_summaries() const {
  for (const auto& [rank, r] : linked_) {
    for (const std::string& line : r.lines) log_info("rank " + std::to_string(rank) + ": " + line);
  }
  if (!left_out_.empty()) log_info("left out, as --ranks says: " + ranks_text(left_out_));
}

void Linking::write_report(OutputFiles& files) const {
  if (!options_.report) return;
  std::string json = "{\"ranks\":[";
  for (const auto& [rank, r] : linked_) json += (json.back() == '[' ? "\n " : ",\n ") + r.json;
  json += "\n]";
  if (!left_out_.empty()) {
    json += ",\n \"ranks_left_out\":[";
    for (const Rank rank : left_out_) json += (json.back() == '[' ? "" : ",") + std::to_string(rank);
    json += ']';
  }
  json += "}\n";
  write_bytes(files, options_.report, json);
}

}  // namespace tools
