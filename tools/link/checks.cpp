// SPDX-License-Identifier: MIT
// Linking: the checks and messages when all ranks are linked.
#include <utility>

#include "core/rank_list.h"
#include "link/linking.h"
#include "passes/validate.h"
#include "sets/check.h"
#include "sets/missing_ranks.h"
#include "util/log.h"

namespace tools {

using namespace convert;

// Called when all ranks are linked, before the output files get their names: reports, warns of unmatched
// operations, and checks across ranks. Throws if the ranks must not be written.
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
      if (failed) hint = "; --check warn writes the set anyway";
    }
    if (!failed) write_report(files);
  }
  if (team_ != nullptr && !team_->all(!failed) && !failed) {
    throw input_error({}, "nothing is written because process 0 found errors");
  }
  if (failed) throw input_error({}, "nothing is written" + hint);
}

// Reports one message for each reason and all ranks; the message names the first rank.
void Linking::report_unmatched() {
  if (options_.unmatched == "keep") return;
  const bool error = options_.unmatched == "error";
  // The report file is written with the set, or not at all.
  std::vector<std::string> notes = {
      std::string(context_.common.werror ? "without --werror, " : "") + (error ? "--unmatched warn " : "") +
      "--report FILE --list-unmatched lists all operations; --unmatched keep suppresses this message"};
  for (std::size_t i = 0; i < unmatched_kinds; ++i) {
    const auto kind = static_cast<Unmatched>(i);
    std::uint64_t count = 0, nanoseconds = 0, device_ns = 0;
    const RankFacts* first = nullptr;
    for (const auto& [rank, r] : linked_) {
      count += r.unmatched[i];
      nanoseconds += r.unmatched_ns[i];
      device_ns += r.device_ns;
      if (r.unmatched[i] != 0 && first == nullptr) first = &r;
    }
    const UnmatchedInfo& info = unmatched_info(kind);
    if (first == nullptr || !(error || info.warned)) continue;
    std::string message = unmatched_message(count, first->first[i], nanoseconds, device_ns);
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

// Warns of missing ranks unless the user named the ranks.
void Linking::warn_of_missing(const TraceSource& source) {
  if (options_.ranks || options_.rank) return;
  std::vector<Rank> present;
  for (const auto& [rank, r] : linked_) present.push_back(rank);
  const std::optional<Rank> world = linked_.size() == 1 ? source.world() : told_world();
  std::optional<Error> defect;
  const auto lists = group_lists(source, std::nullopt, defect);
  const bool many = host_.has_rank();
  const bool by_group = lists && (many || !world);  // for one rank, the number of ranks is enough
  const char* const hint = many ? "to link only some ranks, name the ranks with --ranks"
                                : "use %r in the names of the files to link all ranks, or --rank to link one";
  warn_of_missing_ranks(*options_.host, present, world, by_group ? &*lists : nullptr, hint, context_.diagnostics);
}

void Linking::check_across_ranks(const TraceSource& source) {
  if (ranks_.size() < 2) return;
  std::vector<TraceSummary> summaries;
  for (auto& [rank, r] : linked_) {
    if (rank != summaries.size()) {
      context_.diagnostics.warning({.file = r.file}, "ranks",
                                   "only some ranks are linked; they are not compared with each other",
                                   {"hint: link all ranks, then take some with et-split --ranks"});
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
    const bool ended = d.rule == "deadlock";  // the recorded run ended
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
  if (!left_out_.empty()) log_info("omitted because of --ranks: " + ranks_text(left_out_));
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
