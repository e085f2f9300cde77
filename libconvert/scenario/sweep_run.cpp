// SPDX-License-Identifier: MIT
#include "scenario/sweep_run.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <thread>
#include <utility>

#include "core/algorithm/whole_bytes.h"
#include "core/units.h"
#include "passes/lower/call_range.h"
#include "sets/source.h"
#include "simulate/report/collective_kind.h"
#include "simulate/report/report.h"
#include "simulate/report/values.h"
#include "util/text_table.h"
#include "util/visible.h"

namespace convert {
namespace {

// Returns the entry of a name, and moves it to the front; drops the oldest entry if there are more than `most`.
template <typename T>
std::shared_ptr<T> touch(std::list<std::pair<std::string, std::shared_ptr<T>>>& table, const std::string& name,
                         std::size_t most) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& e) { return e.first == name; });
  if (found != table.end()) {
    table.splice(table.begin(), table, found);
  } else {
    table.emplace_front(name, std::make_shared<T>());
  }
  if (table.size() > most) table.pop_back();
  return table.front().second;
}

// Returns the first error, with the number of further errors.
Error first_error(const Diagnostics& diagnostics) {
  const auto found = std::find_if(diagnostics.all().begin(), diagnostics.all().end(),
                                  [](const Diagnostic& d) { return d.severity == Severity::error; });
  if (found == diagnostics.all().end()) return Error(counted(diagnostics.errors(), "error"));
  std::string text = found->message;
  if (diagnostics.errors() > 1) text += " (and " + std::to_string(diagnostics.errors() - 1) + " more)";
  return {Error::Kind::input, found->where, text};
}

__extension__ using Wide = unsigned __int128;
std::string text_of(Wide n) {
  std::string digits;
  do digits += static_cast<char>('0' + static_cast<int>(n % 10));
  while ((n /= 10) != 0);
  return {digits.rbegin(), digits.rend()};
}

std::string mean_ns(const ReplayResult& result, NpuTimeIndex time) {
  return format_ns(spread(result, npu_times.at(time)).value_or(Spread{}).mean);
}

// Returns the cells size, algbw and busbw of a run: of an algorithm, or of calls of a single kind, by their mean
// time. Empty for other runs.
std::vector<std::string> speed_cells(const ReplayResult& result) {
  std::optional<CollectiveKind> kind = result.whole;
  double time = static_cast<double>(result.total_ps);
  if (!kind && !result.collectives.empty() && !result.kinds.empty()) {
    kind = result.kinds.at(result.collectives.front().plan);
    double calls = 0;
    time = 0;
    for (const CollectiveResult& c : result.collectives) {
      const CollectiveKind& other = result.kinds.at(c.plan);
      const std::optional<Picoseconds> took = time_of(c);
      if (!took || other.op != kind->op || other.size_bytes != kind->size_bytes || other.npus != kind->npus)
        return {"", "", ""};
      time += static_cast<double>(*took) * c.alike;
      calls += c.alike;
    }
    time /= calls;
  }
  if (!kind || result.status != ReplayStatus::complete) return {"", "", ""};
  const CollectiveSpeed s = speed_of(*kind, static_cast<Picoseconds>(std::llround(time)));
  return {std::to_string(kind->size_bytes), s.alg_gb_per_s ? format_fixed(*s.alg_gb_per_s, 6) : "",
          s.bus_gb_per_s ? format_fixed(*s.bus_gb_per_s, 6) : ""};
}

// Returns the cells of a run that has failed.
std::vector<std::string> failure_cells(const std::string& message) {
  std::vector<std::string> cells(sweep_result_columns().size());
  cells.front() = "error";
  cells.back() = visible(message);
  return cells;
}

}  // namespace

const std::vector<std::string>& sweep_result_columns() {
  static const std::vector<std::string> columns = {
      "status",     "total_ns",   "finish_min_ns",  "finish_max_ns",  "exposed_mean_ns", "compute_mean_ns", "sends",
      "bytes_sent", "size_bytes", "algbw_gb_per_s", "busbw_gb_per_s", "waiting_mean_ns", "message"};
  return columns;
}

std::vector<std::string> sweep_result(const ReplayResult& result) {
  const std::vector<std::string> speed = speed_cells(result);
  const bool all = result.status == ReplayStatus::complete || result.status == ReplayStatus::unmatched;
  std::optional<Picoseconds> first;
  std::optional<Picoseconds> last;
  std::uint64_t sends = 0;
  Wide bytes = 0;
  for (const NpuResult& npu : result.npus) {
    const Picoseconds finish = npu.finish_ps.value_or(0);
    first = std::min(first.value_or(finish), finish);
    last = std::max(last.value_or(finish), finish);
    sends += npu.sends;
    bytes += static_cast<Wide>(npu.bytes_sent);
  }
  return {std::string(name(result.status)),
          result.status == ReplayStatus::deadlock ? "" : format_ns(result.total_ps),
          all ? format_ns(first.value_or(0)) : "",
          all ? format_ns(last.value_or(0)) : "",
          all ? mean_ns(result, time_exposed) : "",
          mean_ns(result, time_compute),
          std::to_string(sends),
          text_of(bytes),
          speed[0],
          speed[1],
          speed[2],
          all ? mean_ns(result, time_waiting) : "",
          result_message(result)};
}

struct SweepRunner::Workload {
  std::mutex mutex;
  std::unique_ptr<Diagnostics> diagnostics;  // of the source
  std::unique_ptr<TraceSource> source;       // opened, not yet read
  std::shared_ptr<const std::vector<Trace>> traces;
  std::optional<InputSet::Groups> groups;
  std::optional<Algorithm> algorithm;  // of the traces
  bool declares_calls = false;
  std::size_t compiled = 0;
  std::string error;
  std::exception_ptr failure;  // not an Error of a run, but such as lack of memory; nothing works after it
};

struct SweepRunner::Program {
  std::mutex mutex;
  bool ready = false;
  LoadedReplay loaded;
  std::optional<CollectiveKind> whole;  // of an algorithm
  std::string network;                  // of the run that loaded it
  std::optional<Error> error;           // of all runs of the group
};

SweepRunner::SweepRunner(const SweepPlan& plan, unsigned jobs, Diagnostics& diagnostics)
    : plan_(plan), jobs_(std::max(jobs, 1U)), diagnostics_(diagnostics) {}
SweepRunner::~SweepRunner() = default;

// Opens the traces unless they are open. Throws Error, also again after a failure.
void SweepRunner::open(Workload& workload, const Scenario& scenario) {
  if (!workload.error.empty()) throw Error(workload.error);
  if (workload.source != nullptr || workload.traces != nullptr) return;
  try {
    workload.diagnostics = diagnostics_.sibling();
    const bool any_ranks = scenario.workload == "-" ? plan_.any_ranks() : scenario.by_rank();
    SourceOptions options{
        .operands = {scenario.workload}, .from = scenario.from, .any_ranks = any_ranks, .hash = false};
    auto source = std::make_unique<TraceSource>(std::move(options), *workload.diagnostics);
    if (!prepare(*source, !any_ranks, scenario.workload) || workload.diagnostics->errors() > 0)
      throw first_error(*workload.diagnostics);
    workload.groups = source->groups();
    if (source->algorithm() != nullptr) workload.algorithm = *source->algorithm();
    workload.declares_calls = source->declares_calls();
    workload.source = std::move(source);
  } catch (const Error& e) {
    workload.error = with_place(e);
    throw Error(workload.error);
  }
}

void SweepRunner::open_stdin() {
  for (std::size_t run = 0; plan_.reads_stdin() && run < plan_.size(); ++run) {
    const RunSettings settings = plan_.settings(run);
    if (settings.workload != "-") continue;
    Scenario scenario{.workload = "-", .network = {}, .options = {}, .from = settings.from};
    return open(*workload(scenario), scenario);
  }
}

// Keeps the warnings about a workload, each once, with the first group that has it.
void SweepRunner::keep_warnings(std::size_t group, const std::string& name, const Workload& workload,
                                const Diagnostics& of_program) {
  const std::lock_guard lock(mutex_);
  std::size_t number = 0;
  for (const Diagnostics* from : {static_cast<const Diagnostics*>(workload.diagnostics.get()), &of_program}) {
    for (const Diagnostic& d : from->all()) {
      if (d.severity != Severity::warning) continue;
      const auto place = std::pair(group, number++);
      const std::string text = name + '\n' + format_location(d.where) + '\n' + d.message;
      Warning& kept = warnings_.try_emplace(text, place, d).first->second;
      kept.first = std::min(kept.first, place);
    }
  }
}

void SweepRunner::say_warnings() {
  std::vector<Warning> all;
  for (auto& [text, warning] : warnings_) all.push_back(std::move(warning));
  warnings_.clear();
  std::sort(all.begin(), all.end(), [](const Warning& a, const Warning& b) { return a.first < b.first; });
  for (Warning& warning : all) diagnostics_.add(std::move(warning.second));
}

// Adds a note if no runtime completes a call of `bytes` with the algorithm of the traces.
void SweepRunner::note_call(const Workload& workload, std::int64_t bytes, LoadedReplay& loaded) {
  if (!workload.algorithm || !loaded.program || loaded.program->network.ideal) return;
  std::string note = call_note(*workload.algorithm, workload.declares_calls, bytes);
  if (!note.empty()) loaded.program->notes.push_back(std::move(note));
}

std::shared_ptr<SweepRunner::Workload> SweepRunner::workload(const Scenario& scenario) {
  const std::lock_guard lock(mutex_);
  // Standard input cannot be read again.
  const bool by_rank = scenario.by_rank() && scenario.workload != "-";
  return touch(workloads_, scenario.workload + '\n' + scenario.from.value_or("") + (by_rank ? "\nby rank" : ""),
               plan_.reads_stdin() ? SIZE_MAX : 2);
}

void SweepRunner::compile(std::size_t group, Program& program, Scenario& scenario) {
  const auto shared = workload(scenario);
  Workload& w = *shared;
  const auto diagnostics = diagnostics_.sibling();
  const std::size_t groups = plan_.groups_of(scenario.workload);
  std::unique_lock lock(w.mutex);
  if (w.failure) std::rethrow_exception(w.failure);
  try {
    open(w, scenario);
    add_groups(scenario, w.groups);
    if (groups == 1) {  // the traces need not be in memory at once
      program.loaded = load_replay(*w.source, scenario, jobs_, *diagnostics);
      const std::int64_t bytes = algorithm_bytes(scenario, w.source->algorithm_bytes());
      if (const auto metadata = w.source->metadata()) program.whole = algorithm_kind(*metadata, bytes);
      note_call(w, bytes, program.loaded);
      keep_warnings(group, scenario.workload, w, *diagnostics);
      w.source.reset();
    } else {
      if (w.traces == nullptr) {
        w.traces = std::make_shared<const std::vector<Trace>>(w.source->load(jobs_));
        if (!scenario.by_rank()) w.source->warn_of_missing_ranks();
        w.source.reset();
      }
      const auto traces = w.traces;
      lock.unlock();
      program.loaded = load_replay(*traces, scenario, 1, *diagnostics);
      const Trace& first = traces->front();
      const std::int64_t bytes = algorithm_bytes(scenario, whole_bytes(first.nodes));
      program.whole = algorithm_kind(first.metadata, bytes);
      note_call(w, bytes, program.loaded);
      lock.lock();
      keep_warnings(group, scenario.workload, w, *diagnostics);
      if (++w.compiled == groups && scenario.workload != "-") w.traces.reset();
    }
  } catch (const Error&) {
    throw;
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    w.failure = std::current_exception();
    throw;
  }
  if (diagnostics->errors() > 0) throw first_error(*diagnostics);
}

std::shared_ptr<SweepRunner::Program> SweepRunner::program(std::size_t run, Scenario& scenario) {
  std::shared_ptr<Program> shared;
  {
    const std::lock_guard lock(mutex_);
    shared = touch(programs_, std::to_string(plan_.group(run)), jobs_);
  }
  const std::lock_guard lock(shared->mutex);
  if (!shared->ready) {
    shared->network = scenario.network.source;
    try {
      compile(plan_.group(run), *shared, scenario);
    } catch (const Error& e) {
      shared->loaded = {};
      shared->error = e;
    }
    shared->ready = true;
  }
  return shared;
}

std::vector<std::string> SweepRunner::run(std::size_t run) {
  try {
    Scenario scenario = make_scenario(plan_.settings(run));
    check_scenario(scenario);
    const auto shared = program(run, scenario);
    if (!shared->loaded) {
      Location where = shared->error->where();
      if (where.file == shared->network) where.file = scenario.network.source;
      return failure_cells(with_place(Error(Error::Kind::input, where, shared->error->what())));
    }
    if (shared->loaded.recorded) return sweep_result(*shared->loaded.recorded);
    // The tables of the ranks are shared, not copied.
    ReplayProgram own = *shared->loaded.program;
    own.network = scenario.network;
    fit_nodes(own.network, static_cast<std::uint32_t>(own.ranks.size()));
    own.options.network = scenario.options.network;
    ReplayResult result = replay(own);
    result.whole = shared->whole;
    if (!result.whole) result.kinds = collective_kinds(own, false);
    return sweep_result(result);
  } catch (const Error& e) {
    return failure_cells(with_place(e));
  }
}

void SweepRunner::work(RunQueue& queue) {
  std::exception_ptr failure;
  std::mutex mutex;
  std::atomic<bool> failed = false;
  const auto loop = [&] {
    try {
      while (!failed) {
        const std::optional<std::size_t> next = queue.take();
        if (!next) return;
        queue.put(*next, run(*next));
      }
    } catch (...) {
      failed = true;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < jobs_; ++i) threads.emplace_back(loop);
  loop();
  for (std::thread& thread : threads) thread.join();
  say_warnings();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace convert
