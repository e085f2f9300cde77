// SPDX-License-Identifier: MIT
#include "sets/source.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/algorithm/whole_bytes.h"
#include "core/master/master_set.h"
#include "core/world_size.h"
#include "formats/msccl/msccl.h"
#include "formats/whole_ranks.h"
#include "io/set_path.h"
#include "io/sha256.h"
#include "passes/lower/call_range.h"
#include "passes/verify/verify.h"
#include "sets/known_file.h"
#include "sets/missing_ranks.h"
#include "sets/readers.h"
#include "sets/schedules.h"
#include "util/in_turn.h"
#include "util/log.h"

namespace convert {
namespace {

Error ranks_of_its_own(Rank asked) {
  return usage_error("--rank " + std::to_string(asked) + ": the input states its own ranks");
}

}  // namespace

void check_from(const std::string& from) {
  const FormatChoice choice = parse_format_choice(from, Direction::read);
  if (choice.format->linked) (void)linking_options(choice.options);
  if (choice.format->read_schedule != nullptr) (void)schedule_options(choice.options);
}

// First rank of a document with its nodes, and head of the second rank.
struct TraceSource::Ahead {
  std::unique_ptr<TraceReader> reader;
  Trace first;
  Trace second;
  bool has_first = false;
  bool has_second = false;
};

// Returns the ranks that were read ahead, then the rest.
class TraceSource::AheadReader : public TraceReader {
 public:
  explicit AheadReader(std::unique_ptr<Ahead> ahead) : ahead_(std::move(ahead)) {}

  bool next_rank(Trace& out) override {
    if (std::exchange(ahead_->has_first, false)) {
      std::swap(nodes_, ahead_->first.nodes);
      out = std::move(ahead_->first);
      out.nodes.clear();
      first_ = true;
      return true;
    }
    first_ = false;
    if (std::exchange(ahead_->has_second, false)) {
      out = std::move(ahead_->second);
      return true;
    }
    return ahead_->reader->next_rank(out);
  }
  bool next_nodes(Trace& out, std::size_t max_nodes) override {
    if (!first_) return ahead_->reader->next_nodes(out, max_nodes);
    out.nodes.clear();
    std::swap(out.nodes, nodes_);
    return !out.nodes.nodes.empty();
  }

 private:
  std::unique_ptr<Ahead> ahead_;
  NodeTable nodes_;
  bool first_ = false;
};

// Records the source of imports, and counts ranks and nodes for the summary and the progress line.
class TraceSource::CountingReader : public TraceReader {
 public:
  CountingReader(TraceSource& source, std::unique_ptr<TraceReader> reader)
      : source_(source), reader_(std::move(reader)) {}

  bool next_rank(Trace& out) override {
    if (!reader_->next_rank(out)) {
      if (empty_) throw input_error({.file = source_.first_file_}, "contains no trace");
      return false;
    }
    empty_ = false;
    source_.add_source_note(out.metadata);
    source_.world_sizes_.add(out.rank, out.name, world_size(out.metadata));
    ++source_.ranks_read_;
    if (!source_.groups_known_) source_.take_groups(*reader_, out);
    source_.take_metadata(out.metadata);
    if (source_.independent_ranks() != 0) source_.progress_->add(1);
    return true;
  }
  bool next_nodes(Trace& out, std::size_t max_nodes) override {
    if (!reader_->next_nodes(out, max_nodes)) return false;
    source_.nodes_read_ += out.nodes.nodes.size();
    if (out.rank == 0 && find(out.metadata.table.attrs, attr::collective) != nullptr)
      source_.algorithm_bytes_ = std::max<std::int64_t>(source_.algorithm_bytes_, whole_bytes(out.nodes));
    if (source_.independent_ranks() == 0) source_.progress_->add(out.nodes.nodes.size());
    return true;
  }
  std::optional<Encoded> peek_encoded(std::size_t most) override { return reader_->peek_encoded(most); }
  void skip_encoded(const Encoded& shown, std::uint64_t nodes) override {
    reader_->skip_encoded(shown, nodes);
    source_.nodes_read_ += nodes;
    if (source_.independent_ranks() == 0) source_.progress_->add(nodes);
  }
  Taken take_encoded(const Take& take) override { return reader_->take_encoded(take); }

 private:
  TraceSource& source_;
  std::unique_ptr<TraceReader> reader_;
  bool empty_ = true;
};

// All streams of the set, in sequence.
class TraceSource::AllReader : public TraceReader {
 public:
  explicit AllReader(TraceSource& source) : source_(source) {}

  bool next_rank(Trace& out) override {
    for (;;) {
      if (reader_ && reader_->next_rank(out)) {
        const std::optional<Rank>& asked = source_.options_.rank;
        if (asked && out.rank != *asked) throw ranks_of_its_own(*asked);
        return true;
      }
      reader_.reset();
      auto item = std::exchange(source_.first_, std::nullopt);
      if (!item) item = source_.inputs_.next();
      if (!item) {
        source_.warn_of_near_ranks();  // all members of a tar are read
        return false;
      }
      const Rank ordinal = next_ordinal_++;
      reader_ = source_.make_reader(std::move(*item), ordinal);
    }
  }
  bool next_nodes(Trace& out, std::size_t max_nodes) override { return reader_->next_nodes(out, max_nodes); }
  std::optional<Encoded> peek_encoded(std::size_t most) override { return reader_->peek_encoded(most); }
  void skip_encoded(const Encoded& shown, std::uint64_t nodes) override { reader_->skip_encoded(shown, nodes); }
  Taken take_encoded(const Take& take) override { return reader_->take_encoded(take); }
  [[nodiscard]] std::span<const ProcessGroup> groups() const override { return reader_->groups(); }

 private:
  TraceSource& source_;
  std::unique_ptr<TraceReader> reader_;
  Rank next_ordinal_ = 0;
};

// A rank of PyTorch traces, linked when it is read.
class TraceSource::LinkingReader : public TraceReader {
 public:
  LinkingReader(TraceSource& source, std::unique_ptr<Input> host, std::optional<Rank> rank, LinkingOptions options)
      : source_(source),
        findings_(source.findings_in_turn()),
        host_(std::move(host)),
        rank_(rank),
        options_(std::move(options)) {}

  bool next_rank(Trace& out) override {
    if (host_ == nullptr) return false;
    read_ = read_linked(std::move(host_), rank_, options_, findings_);
    if (read_.linked == nullptr) {
      out = std::move(read_.trace);
      std::swap(read_.trace.nodes, out.nodes);
      out.nodes.clear();
      return true;
    }
    read_.linked->head(out);
    if (source_.options_.whole_linked) take_all(out);
    return true;
  }
  bool next_nodes(Trace& out, std::size_t max_nodes) override {
    if (read_.linked != nullptr && !source_.options_.whole_linked) {
      // A part of a rank requires the tables of the whole, in the same trace: large requests return all nodes.
      if (read_.linked->next_nodes(out,
                                   max_nodes >= all_nodes ? std::numeric_limits<std::size_t>::max() : max_nodes)) {
        return true;
      }
      end(out, nullptr);
      out.nodes.clear();
      return false;
    }
    out.nodes.clear();
    std::swap(out.nodes, read_.trace.nodes);
    return !out.nodes.nodes.empty();
  }

 private:
  void take_all(Trace& out) {
    (void)read_.linked->next_nodes(out, std::numeric_limits<std::size_t>::max());
    end(out, &out);
    std::swap(read_.trace.nodes, out.nodes);
    out.nodes.clear();
    read_.linked.reset();
  }
  void end(const Trace& head, const Trace* whole) {
    if (std::exchange(ended_, true)) return;
    in_turn([&source = source_, name = head.name, rank = head.rank, groups = read_.linked->groups()] {
      source.add_linked_groups(name, rank, groups);
    });
    if (source_.options_.on_linked) {
      source_.options_.on_linked(head.rank, head.name, *read_.linked, whole);
    } else {
      warn_unmatched(read_.linked->report(), head.name, options_, findings_);
    }
  }

  TraceSource& source_;
  Diagnostics& findings_;
  std::unique_ptr<Input> host_;
  std::optional<Rank> rank_;
  LinkingOptions options_;
  ReadRank read_;
  bool ended_ = false;
};

TraceSource::TraceSource(SourceOptions options, Diagnostics& diagnostics)
    : options_(std::move(options)),
      choice_(options_.from ? parse_format_choice(*options_.from, Direction::read) : FormatChoice{}),
      diagnostics_(diagnostics),
      inputs_(options_.operands, options_.any_ranks, options_.groups) {
  first_ = inputs_.next();
  if (!first_)
    throw input_error({.file = options_.operands.empty() ? "" : options_.operands[0]}, "contains no trace");
  first_file_ = first_->input->name();
  format_ = choice_.format;
  if (format_ == nullptr) {
    Input& input = *first_->input;
    const std::string_view head = head_of(input);
    if (head.empty()) throw input_error({.file = input.name()}, "is empty; expected a trace or an algorithm");
    format_ = detect_format(head, input.name());
    if (const auto kind = known_file(head, input.name()); kind && *kind > FileKind::algorithm)
      throw input_error({.file = input.name()}, "not a trace: the file " + describe(*kind));
    if (const std::string foreign = foreign_file(head, input.name()); !foreign.empty())
      throw input_error({.file = input.name()}, "not a trace: the file " + foreign);
    if (format_ == nullptr) {
      throw input_error({.file = input.name()}, "unknown format; set it with --from (see --list-formats)");
    }
  }
  if (holds_run()) {
    check_run();
    return;
  }
  if (format_->peek_groups != nullptr) {
    carried_groups_ = format_->peek_groups(*first_->input);
    carried_by_ = first_->input->name();
  }
  const auto& files = inputs_.files();
  if (options_.rank && (files.size() > 1 || first_->rank || format_->describes_set())) {
    throw ranks_of_its_own(*options_.rank);
  }
  if (format_->describes_set()) read_description(*first_);
  if (!inputs_.files().empty()) warn_of_near_ranks();
  if (format_->tells_groups && !inputs_.files().empty()) read_groups_ahead();
  if (may_announce_groups()) read_announced_groups();
  progress_.emplace(base_name() + (independent_ranks() != 0 ? "" : ", nodes"), independent_ranks(),
                    options_.progress);
}

TraceSource::~TraceSource() = default;

void TraceSource::check_run() const {
  if (!options_.runs)
    throw input_error({.file = first_->input->name()},
                      "is a run, format " + std::string(format_->name) +
                          ", and contains no trace; convert it with et-convert -t perfetto, chrome or run");
  if (options_.rank) throw ranks_of_its_own(*options_.rank);
}

Run TraceSource::read_run() {
  const InputItem item = std::move(*std::exchange(first_, std::nullopt));
  Run run = format_->read_run({*item.input, item.rank, choice_.options, diagnostics_});
  if (run.title.empty()) run.title = base_name();
  if (run.inputs.empty()) run.inputs.push_back({std::string(file_name_part(item.input->name())), ""});
  if (inputs_.next())
    throw usage_error(std::string(format_->name) +
                      " files contain one run each; pass each file as a separate input");
  return run;
}

void TraceSource::warn_of_missing_ranks() {
  if (world_sizes_.differ()) return world_sizes_.warn_if_they_differ(diagnostics_);
  const std::vector<Rank> present = present_ranks();
  const Rank all = std::max<Rank>(world().value_or(0), present.size() < 2 ? 0 : present.back() + 1);
  if (all > present.size() && whole_set())
    convert::warn_of_missing_ranks(base_name(), present, all, nullptr, subset_hint(first_file_), diagnostics_);
}

// Returns the ranks that were read, ascending.
std::vector<Rank> TraceSource::present_ranks() const {
  std::vector<Rank> ranks(ranks_read());
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  const auto& files = inputs_.files();
  const auto has_rank = [](const InputSet::File& f) { return f.rank.has_value(); };
  if (files.size() != ranks.size() || !std::ranges::all_of(files, has_rank)) return ranks;
  std::ranges::transform(files, ranks.begin(), [](const InputSet::File& f) { return *f.rank; });
  std::ranges::sort(ranks);
  return ranks;
}

void TraceSource::warn_of_near_ranks() {
  const NearRanks& near = inputs_.near_ranks();
  if (std::exchange(near_told_, near.count) != near.count) {
    diagnostics_.warning({.file = options_.operands[0]}, "framing", near.text());
  }
}

void TraceSource::read_description(InputItem& item) {
  std::string text = item.input->read_rest();
  const std::string name = item.input->name();
  if (options_.hash && !follows_reference() && format_->write_master == nullptr) {
    source_file_ = file_name_part(name);
    source_sha256_ = sha256_hex(text);
  }
  const std::string head = text.substr(0, known_file_bytes);
  Diagnostics& findings = options_.findings != nullptr ? *options_.findings : diagnostics_;
  parse_as(*format_, options_.from.has_value(), head, name, [&] {
    if (format_->read_set != nullptr) {
      described_ = format_->read_set(std::move(text), name, choice_.options, diagnostics_);
    } else if (format_->read_schedule != nullptr) {
      algorithm_ = read_schedule(std::move(text), name, findings);
    } else {
      if (options_.target != nullptr && format_->read_algorithm == read_msccl) {
        if (auto found = find_runtime_syntax(text, name)) findings.add(std::move(*found));
      }
      algorithm_ = format_->read_algorithm(std::move(text), name, findings);
    }
  });
  log_debug("read " + name + " as " + std::string(format_->name));
  first_.reset();
  if (inputs_.next())
    throw usage_error(std::string(format_->name) + " files contain a whole set each; pass one input");
  if (algorithm_) check_structure(*algorithm_, findings, options_.target);
}

// Returns an algorithm without ranks if the schedule has errors.
Algorithm TraceSource::read_schedule(std::string text, const std::string& file, Diagnostics& findings) {
  const ScheduleOptions options = schedule_options(choice_.options);
  schedule_ = format_->read_schedule(std::move(text), file, choice_.options, findings);
  CheckedSchedule checked = check_and_repair(std::move(*schedule_), options, findings);
  if (!checked.summary.empty()) log_info(checked.summary);
  schedule_ = std::move(checked.schedule);
  return std::move(checked.algorithm);
}

bool TraceSource::prepare(bool dataflow) {
  if (!algorithm_) return true;
  const auto size = choice_.options.get_bytes("size");
  declares_calls_ = algorithm_->scheduled || algorithm_->min_bytes || algorithm_->max_bytes;
  if (size && !declares_calls_ && diagnostics_.errors() == 0) (void)set_calls(*algorithm_, calls_around(*size));
  if (diagnostics_.errors() == 0) {
    verify(make_step_graph(*algorithm_), {.dataflow = dataflow, .collective = {}, .soft = Severity::warning},
           diagnostics_);
  }
  if (diagnostics_.errors() != 0) return false;
  assume_calls(*algorithm_);  // verify() has warned about larger calls
  lowering_ = std::make_unique<Lowering>(*algorithm_, size, diagnostics_);
  return true;
}

void TraceSource::add_source_note(Metadata& metadata) const {
  if (source_sha256_.empty()) return;
  add_source(metadata, source_file_, source_sha256_);
}

bool TraceSource::many() {
  if (format_->describes_set()) return independent_ranks() > 1;
  const std::size_t files = inputs_.files().size();
  if (options_.operands.size() > 1 || files > 1) return true;
  if (files == 0 && first_ && first_->rank) return true;  // a member of a tar
  if (format_->file_per_rank || format_->linked) return false;
  // A document may contain any number of ranks. One rank is read ahead, to find whether another follows.
  if (!ahead_) {
    ahead_ = std::make_unique<Ahead>();
    ahead_->reader = open_stream();
    if (ahead_->reader->next_rank(ahead_->first)) {
      read_nodes(*ahead_->reader, ahead_->first);
      ahead_->has_first = true;
      ahead_->has_second = ahead_->reader->next_rank(ahead_->second);
    }
  }
  return ahead_->has_second;
}

bool TraceSource::whole_set() {
  if (format_->describes_set() || many()) return true;
  if (format_->linked) return false;  // one rank of a training job
  const auto& files = inputs_.files();
  return files.empty() || files[0].path != options_.operands[0] || !files[0].rank;
}

std::size_t TraceSource::independent_ranks() const {
  if (algorithm_) return static_cast<std::size_t>(algorithm_->ranks());
  if (described_) return described_->ranks();
  return format_->file_per_rank || format_->linked ? inputs_.files().size() : 0;
}

std::unique_ptr<TraceReader> TraceSource::open_described(Rank first, Rank last) {
  if (described_) return described_->open(first, last);
  return std::make_unique<WholeRanks>([this, next = first, last](Trace& out) mutable {
    if (next == last) return false;
    out.name = algorithm_->file;
    lowering_->lower(next++, out);
    return true;
  });
}

std::unique_ptr<TraceReader> TraceSource::open_rank(std::size_t i) {
  std::unique_ptr<TraceReader> reader;
  if (format_->describes_set()) {
    reader = open_described(static_cast<Rank>(i), static_cast<Rank>(i) + 1);
  } else {
    const InputSet::File& file = inputs_.files()[i];
    log_debug("reading " + file.path + " as " + std::string(format_->name));
    reader = make_reader(InputItem{open_input(file.path), file.rank}, static_cast<Rank>(i));
  }
  return std::make_unique<CountingReader>(*this, std::move(reader));
}

Diagnostics& TraceSource::findings_in_turn() {
  if (!works_on_item()) return diagnostics_;
  const std::shared_ptr<Diagnostics> own = diagnostics_.sibling();
  in_turn([this, own] { diagnostics_.append(*own); });
  return *own;
}

std::unique_ptr<TraceReader> TraceSource::make_reader(InputItem item, Rank ordinal) {
  std::unique_ptr<Input> input = std::move(item.input);
  return std::make_unique<KnownFileReader>(*format_, options_.from.has_value(), std::move(input),
                                           [&](std::unique_ptr<Input> opened) {
                                             return make_format_reader({std::move(opened), item.rank}, ordinal);
                                           });
}

std::unique_ptr<TraceReader> TraceSource::make_format_reader(InputItem item, Rank ordinal) {
  const Rank rank = options_.rank.value_or(ordinal);
  if (!format_->linked) {
    return std::make_unique<FileReader>(*format_, std::move(item), rank, ranks_of_files(), choice_.options,
                                        options_.hash, findings_in_turn());
  }
  LinkingOptions linking = this->linking();
  linking.device_alone = format_->name == "kineto";
  linking.hash = options_.hash;
  if (ordinal < options_.linked.size()) {
    const LinkedOperand& operand = options_.linked[ordinal];
    if (!operand.device.empty() && linking.device)
      throw usage_error("the device trace is given twice: device=" + *linking.device + " and --device");
    if (!operand.device.empty()) linking.device = operand.device;
    return std::make_unique<LinkingReader>(*this, std::move(item.input), operand.rank, std::move(linking));
  }
  if (linking.device && ordinal > 0)
    throw usage_error("device=" + *linking.device + " is for one host trace; link several traces with et-link");
  const bool told = item.rank || options_.rank || inputs_.files().size() > 1;
  return std::make_unique<LinkingReader>(*this, std::move(item.input),
                                         told ? std::optional(item.rank.value_or(rank)) : std::nullopt,
                                         std::move(linking));
}

// Returns the number of the set's files if their names or order imply all ranks from 0.
std::optional<Rank> TraceSource::ranks_of_files() const {
  const auto& files = inputs_.files();
  if (files.size() < 2) return std::nullopt;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].rank.value_or(static_cast<Rank>(i)) != i) return std::nullopt;
  }
  return static_cast<Rank>(files.size());
}

std::unique_ptr<TraceReader> TraceSource::open_all() {
  std::unique_ptr<TraceReader> reader;
  if (format_->describes_set()) {
    reader = open_described(0, static_cast<Rank>(independent_ranks()));
  } else if (ahead_) {
    reader = std::make_unique<AheadReader>(std::move(ahead_));
  } else {
    reader = open_stream();
  }
  return std::make_unique<CountingReader>(*this, std::move(reader));
}

// A class-compressed set is read completely at once.
std::uint64_t TraceSource::ranks_read() const {
  return master() != nullptr ? master()->ranks() : ranks_read_.load();
}
std::uint64_t TraceSource::nodes_read() const {
  return master() != nullptr ? master()->node_count() : nodes_read_.load();
}

std::unique_ptr<TraceReader> TraceSource::open_stream() { return std::make_unique<AllReader>(*this); }

}  // namespace convert
