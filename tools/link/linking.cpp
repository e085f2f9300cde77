// SPDX-License-Identifier: MIT
#include "link/linking.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <utility>

#include "common/relaxing.h"
#include "common/sink.h"
#include "core/rank_list.h"
#include "core/world_size.h"
#include "mpi/agreement.h"
#include "passes/summary_bytes.h"
#include "sets/derived/relaxing.h"

namespace tools {

using namespace convert;

namespace {

const std::string& host_of(const LinkToolOptions& options) {
  if (!options.host) throw usage_error("--host is missing; name the host execution trace (see --help)");
  return *options.host;
}

// Visits all facts about a rank that one process sends to another.
template <typename Bytes, typename Facts>
void visit_facts(Bytes& bytes, Facts& r) {
  bytes(r.rank, r.file, r.unmatched, r.unmatched_ns, r.device_ns, r.json);
  for (auto& item : r.first) bytes(item.kind, item.id, item.name);
  bytes.each(r.lines, [&](auto& line) { bytes(line); });
  bytes.each(r.groups, [&](auto& g) { bytes(g.id, g.name, g.description, g.ranks, g.size); });
  bytes(r.world);
  bytes.each(r.summary, [&](auto& summary) { visit(bytes, summary); });
}

}  // namespace

Linking::Linking(const LinkToolOptions& options, const OutputOptions& output, Context& context, LinkTeam* team)
    : options_(options), output_(output), context_(context), team_(team), host_(host_of(options)) {
  if (options.device) device_.emplace(*options.device);
  const bool many = host_.has_rank();
  if (device_ && device_->has_rank() != many)
    throw usage_error("--host and --device: use %r in both names or in neither");
  check_link_options(options, output, many, team_ == nullptr);
  if (options.compat) compat_ = output.to == "linked" ? LinkCompat::chakra_linked : LinkCompat::chakra;
  NearRanks near;
  ranks_ = !many           ? std::vector<Rank>{static_cast<Rank>(options.rank.value_or(0))}
           : options.ranks ? parse_ranks(*options.ranks)
                           : host_.ranks(near);
  if (options.ranks) left_out_ = host_.others(ranks_);
  if (many && !options.ranks && device_) require_device_traces();
  if (near.count != 0 && leads())
    context.diagnostics.warning({.file = *options.host}, "framing", near.text(most_listed_ranks - 1));
}

void Linking::compare_inputs() {
  if (team_ == nullptr) return;
  ProcessInputs inputs{{"the command", context_.history()},
                       {"the output", std::filesystem::absolute(output_.path.value_or("-")).string()}};
  const auto add = [&](const std::string& file) {
    if (file != "-") inputs.emplace_back(file, "with " + file_fingerprint(file));
  };
  for (const Rank rank : ranks_) {
    add(host_.of(rank));
    if (device_) add(device_->of(rank));
  }
  const std::vector<std::string> processes = team_->gather(encode_inputs(inputs));
  try {
    if (leads()) require_same_inputs(processes);
  } catch (const Error&) {
    (void)team_->all(false);
    throw;
  }
  if (!team_->all(true)) throw usage_error("nothing is written because the processes have different inputs");
}

// Throws Error(input) if some ranks have a device trace and others do not.
void Linking::require_device_traces() const {
  std::vector<Rank> with;
  std::error_code error;
  std::ranges::copy_if(ranks_, std::back_inserter(with),
                       [&](Rank r) { return std::filesystem::exists(device_->of(r), error); });
  if (with.empty() || with.size() == ranks_.size()) return;
  const Rank without = *std::ranges::find_if(ranks_, [&](Rank r) { return !std::ranges::binary_search(with, r); });
  throw input_error({.file = device_->of(without)},
                    "is missing: rank " + std::to_string(without) +
                        " has a host trace only; link the ranks with both traces: --ranks " + ranks_text(with),
                    "ranks");
}

SourceOptions Linking::source_options() {
  SourceOptions o;
  o.from = "pytorch";
  o.hash = !output_.no_history;
  o.progress = context_.progress();
  // Process k links the k-th rank and each size()-th rank after it.
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

void Linking::find_cycles() {
  if (!options_.relax) return;
  SourceOptions o = source_options();
  o.on_linked = nullptr;
  o.whole_linked = false;
  o.progress = false;
  Diagnostics unheard;  // the second reading reports the findings
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
  SinkOptions o{.keep = std::move(inputs)};
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
  if (!linked || !team_->all(true)) throw input_error({}, "nothing is written because another process has failed");
}

void Linking::write(TraceSource& source) {
  const OpenSink sink = open_sink(source, output_, context_, sink_options(source));
  if (team_ != nullptr && !sink.plan.per_rank_files) {
    throw usage_error(
        "several processes write one file per rank; name a prefix with -o, without a suffix such as .et");
  }
  if (team_ != nullptr && sink.plan.numbered)
    throw usage_error(
        "a file of this format contains data of all ranks, but each process links only some; link to Chakra "
        "traces first, then use et-convert");
  try {
    RelaxedSource relaxed(source, relaxation_.cuts);
    sink.write(relaxed, context_.diagnostics);
  } catch (...) {
    // The other processes wait for the result of all(), after all ranks are linked.
    if (team_ != nullptr && !std::exchange(agreed_, true)) (void)team_->all(false);
    throw;
  }
}

// Thread-safe.
void Linking::add_rank(Rank rank, const std::string& file, const LinkedRank& linked, const Trace* trace) {
  RankFacts r{.rank = rank,
              .file = file,
              .unmatched = linked.report().unmatched,
              .unmatched_ns = linked.report().unmatched_ns,
              .device_ns = linked.report().device_ns,
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
    r.summary->name += " (linked)";  // node ids in messages refer to the linked trace
  }
  const std::lock_guard lock(mutex_);
  linked_.emplace(r.rank, std::move(r));
}

// Sends the facts of the other processes to the first process.
void Linking::gather(TraceSource& source) {
  std::string bytes;
  ByteWriter writer(bytes);
  for (const auto& [rank, r] : linked_) {
    if (!leads()) visit_facts(writer, r);
  }
  for (const std::string& part : team_->gather(bytes)) {
    for (ByteReader reader(part); !reader.done();) {
      RankFacts r;
      visit_facts(reader, r);
      source.add_linked_groups(r.file, r.rank, r.groups);
      linked_.emplace(r.rank, std::move(r));
    }
  }
}

}  // namespace tools
