// SPDX-License-Identifier: MIT
#include "sets/sink.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/master/master_set.h"
#include "core/rank_list.h"
#include "core/units.h"
#include "formats/graphs/drawing.h"
#include "formats/set_writer.h"
#include "io/archive.h"
#include "io/held_output.h"
#include "io/output.h"
#include "io/set_path.h"
#include "passes/lower/export.h"
#include "passes/verify/verify.h"
#include "sets/classes/encoder.h"
#include "sets/missing_ranks.h"
#include "sets/numbered/drafts.h"
#include "sets/rank_order.h"
#include "util/log.h"

namespace convert {
namespace {

constexpr std::size_t flush_bytes = std::size_t{1} << 20;

std::string compression_suffix(const FormatOptions& options) {
  const auto text = options.get("compress");
  if (!text || *text == "none") return "";
  if (*text == "gz" || *text == "zst") return "." + *text;
  throw usage_error("compress=" + *text + ": expected gz, zst or none");
}

Error several_ranks(const SinkPlan& plan, const SetSource& source) {
  return usage_error(
      (plan.path ? "-o " + *plan.path + " names a single file" : std::string("set=plain writes a single file")) +
      ", but there are several ranks; use a prefix, as in -o " + source.base_name());
}

void write_whole(Output& out, std::string_view bytes) {
  out.write(bytes);
  out.close();
}

constexpr const char* other_name = "; choose another name, or replace it with --force";

void refuse_other_size(const SinkPlan& plan, const std::vector<RankFile>& existing, Rank last) {
  if (existing.empty() || existing.back().rank == last) return;
  throw usage_error("the set " + *plan.path + " exists with " + counted(existing.back().rank + 1, "rank") +
                    ", the new set has " + std::to_string(last + 1) + other_name);
}

class Sink {
 public:
  Sink(SetSource& source, const SinkPlan& plan, const SinkOptions& options, Diagnostics& diagnostics)
      : source_(source), plan_(plan), options_(options), diagnostics_(diagnostics) {
    files_.keep(options.keep);
  }

  void write() {
    const Format& format = *plan_.choice.format;
    const bool apart = format.nodes_apart && !plan_.choice.options.get("order");
    if (apart && source_.master() != nullptr) classes_.emplace(*source_.master(), source_.base_name());
    if (format.write_schedule != nullptr) {
      write_schedule(format);
    } else if (format.write_algorithm != nullptr) {
      write_algorithm(format);
    } else if (format.write_drawing != nullptr) {
      write_drawing(format);
    } else if (format.write_set != nullptr) {
      write_numbered(*format.write_set(plan_.choice.options));
    } else if (plan_.per_rank_files) {
      write_files(format);
    } else if (plan_.tar) {
      write_tar(format);
    } else {
      write_document(format);
    }
    files_.commit();
  }

 private:
  // Checks the statements of the ranks about the whole set. The linker checks linked ranks.
  void all_read(bool has_groups) {
    if (source_.groups_come_late()) return;
    if (const WorldSizes* sizes = source_.world_sizes(); sizes != nullptr && !options_.checked)
      sizes->warn_if_they_differ(diagnostics_);
    if (has_groups) source_.check_groups();
  }
  void ready() {
    if (options_.before_commit) options_.before_commit(files_);
  }

  std::unique_ptr<Output> open() {
    if (!plan_.path) return open_stdout(compression_of(plan_.suffix));
    return files_.create(*plan_.path);
  }

  void write_schedule(const Format& format) {
    const Schedule* const schedule = source_.schedule();
    if (schedule == nullptr) {
      throw input_error(
          {.file = source_.base_name()},
          "has no schedule of messages on links; simulate it with et-replay -t " + std::string(format.name));
    }
    std::string text;
    format.write_schedule(*schedule, plan_.choice.options, text);
    write_whole(*open(), text);
  }

  void write_algorithm(const Format& format) {
    std::string text;
    if (const Algorithm* a = source_.algorithm()) {
      format.write_algorithm(runnable(*a, diagnostics_), plan_.choice.options, text);
    } else {
      const std::vector<Trace> traces = source_.load(options_.jobs);
      require_whole_set(traces);
      const Algorithm algorithm = export_algorithm(traces, diagnostics_);
      require_readable(algorithm);
      format.write_algorithm(algorithm, plan_.choice.options, text);
    }
    write_whole(*open(), text);
  }

  void write_drawing(const Format& format) {
    auto out = open();
    std::vector<drawing::DrawnRank> ranks;
    source_.for_each_ascending(options_.jobs, drawing::read_drawn,
                               [&](drawing::DrawnRank&& r) { ranks.push_back(std::move(r)); });
    format.write_drawing(drawing::make_drawing(std::move(ranks)), plan_.choice.options, *out);
    out->close();
  }

  // Rejects algorithms that no reader of the format accepts: unmatched messages, deadlocks and the like.
  void require_readable(const Algorithm& algorithm) const {
    Diagnostics found;
    check_structure(algorithm, found);
    if (found.errors() == 0)
      verify(make_step_graph(algorithm), {.collective = {}, .soft = Severity::warning, .search_budget = 1}, found);
    const auto& all = found.all();
    const auto first = std::ranges::find(all, Severity::error, &Diagnostic::severity);
    if (first == all.end()) return;
    throw input_error({.file = source_.base_name()},
                      "cannot be written as an algorithm: " + first->message +
                          (found.errors() > 1 ? " (and " + std::to_string(found.errors() - 1) + " more)" : ""),
                      first->rule);
  }

  // Encodes the nodes of the rank whose head was read, into `out` if given, else into `bytes`.
  void encode_rank(TraceReader& reader, Trace& trace, TraceWriter& writer, std::size_t ordinal, bool many,
                   std::string& bytes, Output* out) {
    if (adds_history()) add_history(trace.metadata, {options_.history});
    writer.begin_rank(trace, ordinal, many, bytes);
    if (classes_) {
      classes_->nodes(trace.rank, writer, bytes);
    } else {
      encode_nodes(reader, trace, writer, bytes, out);
    }
    writer.end_rank(bytes);
    if (out != nullptr) {
      out->write(bytes);
      bytes.clear();
    }
  }

  static void encode_nodes(TraceReader& reader, Trace& trace, TraceWriter& writer, std::string& bytes,
                           Output* out) {
    std::vector<Node> nodes;
    while (reader.next_nodes(trace, batch_nodes)) {
      // A reader may return a whole rank at once. It is encoded in slices: a slice becomes the nodes of `trace`,
      // whose other tables remain, as all nodes refer to them.
      std::swap(nodes, trace.nodes.nodes);
      for (std::size_t i = 0; i < nodes.size(); i += batch_nodes) {
        const auto end = nodes.begin() + static_cast<std::ptrdiff_t>(std::min(i + batch_nodes, nodes.size()));
        trace.nodes.nodes.assign(nodes.begin() + static_cast<std::ptrdiff_t>(i), end);
        writer.nodes(trace, bytes);
        if (out != nullptr && bytes.size() >= flush_bytes) {
          out->write(bytes);
          bytes.clear();
        }
      }
    }
  }

  // Writes each rank into its file, independent ranks in parallel: the files do not depend on the order.
  void write_files(const Format& format) {
    std::vector<Rank> written;
    const auto write_one = [&](TraceReader& reader, Trace& trace) {
      const auto writer = format.write(plan_.choice.options);
      auto out = files_.create_in_set(plan_.path_of(trace.rank));
      std::string bytes;
      encode_rank(reader, trace, *writer, 0, false, bytes, out.get());
      out->close();
      return trace.rank;
    };
    source_.for_each_rank(options_.jobs, write_one, [&](Rank rank) { written.push_back(rank); });
    finish_set(written);
  }

  // Writes ranks whose files contain information about the whole set.
  void write_numbered(const SetWriter& writer) {
    if (plan_.per_rank_files) {
      const auto put = [&](Rank rank, std::string_view text) {
        write_whole(*files_.create_in_set(plan_.path_of(rank)), text);
      };
      return finish_set(write_drafts(source_, writer, options_.jobs, DraftOrder::any, put, diagnostics_));
    }
    auto out = open();
    std::optional<TarWriter> tar;
    if (plan_.tar) tar.emplace(*out);
    bool begun = false;
    const auto put = [&](Rank rank, std::string_view text) {
      if (tar) return tar->add(numbered_path("", rank), text);
      if (std::exchange(begun, true)) throw several_ranks(plan_, source_);
      out->write(text);
    };
    (void)write_drafts(source_, writer, options_.jobs, DraftOrder::ascending, put, diagnostics_);
    all_read(true);
    ready();
    if (tar) tar->close();
    out->close();
  }

  // Refuses to replace a set of another size, or with ranks that this set does not have.
  void refuse_other_ranks(const std::vector<RankFile>& existing, Rank last, bool gaps, const auto& has) const {
    if (existing.empty()) return;
    std::vector<Rank> others;
    for (const RankFile& f : existing) {
      if (!has(f.rank) && (others.empty() || others.back() != f.rank)) others.push_back(f.rank);
    }
    if (gaps && !others.empty())
      throw usage_error("the set " + *plan_.path + " exists with " + ranks_text(others) +
                        ", which the new set does not have" + other_name);
    refuse_other_size(plan_, existing, last);
  }

  // A larger set of the same name would leave stale ranks.
  void finish_set(std::vector<Rank> written) {
    if (written.empty() || !options_.whole) return ready();  // which reports an empty set
    std::ranges::sort(written);
    const Rank last = options_.last_rank.value_or(written.back());
    // Other processes have written the ranks that this process has not.
    const auto has = [&](Rank r) {
      return options_.last_rank ? r <= last : std::ranges::binary_search(written, r);
    };
    const std::vector<RankFile> existing = plan_.existing();
    const bool gaps = !options_.last_rank && written.size() <= last;
    if (!options_.force) refuse_other_ranks(existing, last, gaps, has);
    std::error_code ignored;
    for (const RankFile& f : existing) {
      const bool replaced = has(f.rank) && f.path == plan_.path_of(f.rank);
      if (!replaced) files_.remove_on_commit(f.path);
    }
    if (plan_.numbered) {
      all_read(true);
      return ready();
    }
    // The class table of a folded set is invalid for another set; ready() may write a new one.
    if (!existing.empty()) files_.remove_on_commit(*plan_.path + std::string(classes_suffix));
    all_read(true);
    ready();
    const std::string groups_path = *plan_.path + std::string(groups_suffix);
    if (const auto groups = source_.groups_to_write(&diagnostics_)) {
      return write_whole(*files_.create_in_set(groups_path), groups->json);
    }
    files_.reserve(groups_path);
    if (!existing.empty() && std::filesystem::exists(std::filesystem::symlink_status(groups_path, ignored))) {
      // The old groups would be taken for the groups of the new ranks.
      log_note(groups_path + " is removed with the replaced set");
      files_.remove_on_commit(groups_path);
    }
  }

  // Ranks in etkit's tars are ascending.
  void write_tar(const Format& format) {
    auto out = open();
    TarWriter tar(*out);
    const std::string stem = plan_.path ? base_of_file(*plan_.path) : source_.base_name();
    bool begun = false;
    const auto put = [&](Rank rank, const std::string& bytes) {
      if (!std::exchange(begun, true)) {
        if (const auto groups = source_.groups_to_write(&diagnostics_))
          tar.add(stem + std::string(groups_suffix), groups->json);
      }
      tar.add(stem + "." + std::to_string(rank) + ".et", bytes);
    };
    // The groups come first; the groups of linked traces are complete only at the end.
    std::vector<std::pair<Rank, std::unique_ptr<HeldOutput>>> held;
    const auto add = [&](Rank rank, std::string&& bytes) {
      if (source_.groups_come_late()) {
        held.emplace_back(rank, std::make_unique<HeldOutput>()).second->write(bytes);
      } else {
        put(rank, bytes);
      }
    };
    const auto encode = [&](TraceReader& reader, Trace& trace) {
      const auto writer = format.write(plan_.choice.options);
      std::string bytes;
      encode_rank(reader, trace, *writer, 0, false, bytes, nullptr);
      return std::pair{trace.rank, std::move(bytes)};
    };
    RankOrder<std::string> order(source_.base_name());
    source_.for_each_rank(options_.jobs, encode, [&](std::pair<Rank, std::string>&& encoded) {
      order.add(encoded.first, std::move(encoded.second), add);
    });
    order.finish(add);
    all_read(true);
    ready();
    for (auto& [rank, encoded] : held) {
      std::string bytes;
      encoded->release(*memory_output(bytes));
      put(rank, bytes);
    }
    tar.close();
    out->close();
  }

  void write_document(const Format& format) {
    auto out = open();
    if (format.write_master != nullptr && source_.master() != nullptr) return write_classes(format, *out);
    const auto writer = format.write(plan_.choice.options);
    const bool many = format.framed_set && source_.many();
    // Data written to a pipe cannot be taken back. Some readers expect groups at the beginning, but groups may be
    // complete only at the end.
    const bool late = source_.groups_come_late();
    const bool hold = (late && format.peek_groups != nullptr) ||
                      (options_.before_commit && (!plan_.path || is_stream_path(*plan_.path)));
    HeldOutput held;
    Output& to = hold ? held : *out;
    std::string bytes;
    bool has_groups = !late && give_groups(format, *writer);
    if (!hold) {
      writer->begin_set(many, bytes);
      out->write(std::exchange(bytes, {}));
    }
    const auto reader = source_.open_all();
    Trace trace;
    std::size_t ordinal = 0;
    while (reader->next_rank(trace)) {
      if (format.file_per_rank && ordinal > 0) throw several_ranks(plan_, source_);
      encode_rank(*reader, trace, *writer, ordinal++, many, bytes, &to);
    }
    if (format.file_per_rank && ordinal == 1) warn_of_named_rank(plan_.path.value_or(""), trace.rank, diagnostics_);
    std::string begin;
    if (late) has_groups = give_groups(format, *writer);
    if (hold) writer->begin_set(many, begin);
    writer->end_set(many, bytes);
    all_read(has_groups);
    ready();
    out->write(begin);
    held.release(*out);
    out->write(bytes);
    out->close();
  }

  // Writes a class-compressed set without expanding its ranks.
  void write_classes(const Format& format, Output& out) {
    MasterSet set = *source_.master();
    if (adds_history()) set.edit_metadata([&](Metadata& m) { add_history(m, {options_.history}); });
    const auto groups = source_.groups_to_write(&diagnostics_);
    set.groups = groups ? groups->json : "";
    all_read(groups.has_value());
    ready();
    format.write_master(set, out);
    out.close();
  }

  [[nodiscard]] bool adds_history() const { return !options_.history.empty() && !source_.follows_reference(); }

  // Passes the groups to a writer that supports them; returns whether it does.
  bool give_groups(const Format& format, TraceWriter& writer) {
    if (source_.follows_reference() || !source_.has_subgroups()) return false;
    const auto groups = source_.groups_to_write(&diagnostics_);
    if (!groups) return false;
    const bool taken = writer.take_groups(groups->json);
    if (!taken) warn_of_lost_groups(format);
    return taken;
  }

  void warn_of_lost_groups(const Format& format) {
    if (source_.groups_come_late()) {
      diagnostics_.warning(
          {.file = plan_.path.value_or("<stdout>")}, "groups",
          "the process groups are omitted; use a prefix with -o to write them to PREFIX.groups.json");
    } else {
      diagnostics_.warning({.file = source_.groups()->name}, "groups",
                           std::string(format.name) + " does not support groups; they are omitted");
    }
  }

  SetSource& source_;
  const SinkPlan& plan_;
  const SinkOptions& options_;
  Diagnostics& diagnostics_;
  OutputFiles files_;
  std::optional<ClassEncoder> classes_;  // for a class-compressed set
};

// Returns whether set= requests a tar or a plain file; nothing if it is absent.
std::optional<bool> tar_wanted(const FormatOptions& options) {
  const auto text = options.get("set");
  if (!text) return std::nullopt;
  if (*text == "tar") return true;
  if (*text == "plain") return false;
  throw usage_error("set=" + *text + ": expected tar or plain");
}

}  // namespace

SinkPlan plan_sink(SetSource& source, const SinkOptions& options) {
  SinkPlan plan;
  if (options.path && options.path->empty()) throw usage_error("-o has an empty name");
  if (options.path && *options.path != "-") plan.path = options.path;
  plan.choice = written_format(options.to, options.path);
  const Format* const by_suffix = plan.path ? format_by_suffix(*plan.path, Direction::write) : nullptr;
  const Format& format = *plan.choice.format;
  if (!format.writes_traces())
    throw usage_error(
        std::string(format.name) +
        " contains runs, not traces; write it with et-convert from a run or recorded traces, or with et-replay -o "
        "with its suffix");
  plan.suffix = compression_suffix(plan.choice.options);
  const bool named_tar = plan.path && is_tar_name(*plan.path);
  const bool stream = !plan.path || is_stream_path(*plan.path);
  plan.numbered = format.write_set != nullptr;
  if (format.file_per_rank) {
    const auto wanted = tar_wanted(plan.choice.options);
    plan.tar = wanted.value_or(named_tar || (stream && source.many()));
    const bool one_file = plan.numbered ? plan.path && without_compression_suffix(*plan.path).ends_with(".json")
                                        : by_suffix == &format;
    plan.per_rank_files = !stream && !plan.tar && !one_file && !wanted;
    // A file can still be discarded at the second rank.
    if (!plan.tar && !plan.per_rank_files && stream && source.many()) throw several_ranks(plan, source);
  }
  if (plan.per_rank_files && plan.suffix.empty() && without_compression_suffix(*plan.path) != *plan.path) {
    plan.suffix = plan.path->substr(without_compression_suffix(*plan.path).size());
    plan.path->resize(plan.path->size() - plan.suffix.size());
  }
  if (plan.path && !stream && !plan.per_rank_files && !plan.suffix.empty() && !plan.path->ends_with(plan.suffix)) {
    throw usage_error("-o " + *plan.path + ": with compress=" + plan.suffix.substr(1) + " the name must end with " +
                      plan.suffix);
  }
  if (plan.numbered && plan.per_rank_files) {
    if (!options.force) require_own_folder(*plan.path);
    if (!plan.path->ends_with('/')) *plan.path += '/';
    return plan;
  }
  std::error_code error;
  if (plan.path && (std::filesystem::is_directory(*plan.path, error) || plan.path->ends_with('/'))) {
    if (!plan.per_rank_files) throw usage_error(*plan.path + " is a directory; use a file in it");
    const bool empty = std::filesystem::is_empty(*plan.path, error);
    if (error && error != std::errc::no_such_file_or_directory) throw system_error(*plan.path, error.value());
    if (!error && !empty && !options.force) {
      throw usage_error(*plan.path + " is a non-empty directory; use a prefix in it, or --force");
    }
    *plan.path += (plan.path->ends_with('/') ? "" : "/") + source.base_name();
  }
  return plan;
}

void check_size(const SinkPlan& plan, Rank ranks) {
  if (plan.per_rank_files) refuse_other_size(plan, plan.existing(), ranks - 1);
}

void write_set(SetSource& source, const SinkPlan& plan, const SinkOptions& options, Diagnostics& diagnostics) {
  Sink(source, plan, options, diagnostics).write();
}

std::unique_ptr<Output> open_output(OutputFiles& files, const std::optional<std::string>& path) {
  return path && *path != "-" ? files.create(*path) : open_stdout();
}

void write_bytes(OutputFiles& files, const std::optional<std::string>& path, std::string_view bytes) {
  write_whole(*open_output(files, path), bytes);
}

void write_bytes(const std::optional<std::string>& path, std::string_view bytes) {
  OutputFiles files;
  write_bytes(files, path, bytes);
  files.commit();
}

void add_history(Metadata& metadata, std::vector<std::string> more) {
  AttrTable& table = metadata.table;
  std::vector<std::string> lines;
  const auto at = std::find_if(table.attrs.begin(), table.attrs.end(), [](const Attr& a) {
    return a.name == attr::history && a.kind == Kind::string_list;
  });
  if (at != table.attrs.end()) {
    for (const Text t : table.string_list(*at)) lines.emplace_back(table.view(t));
    table.attrs.erase(at);
  }
  std::move(more.begin(), more.end(), std::back_inserter(lines));
  table.add_strings(attr::history, lines);
}

}  // namespace convert
