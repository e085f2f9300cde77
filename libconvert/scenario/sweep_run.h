// SPDX-License-Identifier: MIT
// Executes the runs of a sweep: each run is a replay, and its result a row of the table.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnostic.h"
#include "scenario/scenario.h"
#include "scenario/sweep_plan.h"
#include "simulate/engine/replay.h"

namespace convert {

// Returns the columns that a run fills, after the columns of the axes.
[[nodiscard]] const std::vector<std::string>& sweep_result_columns();
// Returns the cells of a run for these columns: status, total_ns, …, message.
[[nodiscard]] std::vector<std::string> sweep_result(const ReplayResult& result);

// Hands out runs and takes their results; thread-safe.
class RunQueue {
 public:
  virtual ~RunQueue() = default;
  RunQueue(const RunQueue&) = delete;
  RunQueue& operator=(const RunQueue&) = delete;
  // Returns the next run; nothing if no run is left.
  [[nodiscard]] virtual std::optional<std::size_t> take() = 0;
  virtual void put(std::size_t run, const std::vector<std::string>& result) = 0;

 protected:
  RunQueue() = default;
};

// Executes runs. Decodes a workload once, and compiles it once for all runs that differ only in the numbers of the
// network. Drops the workloads and programs that were not used recently.
class SweepRunner {
 public:
  // Executes at most `jobs` runs at once. Warnings about the workload go to the diagnostics. `plan` must outlive
  // this.
  SweepRunner(const SweepPlan& plan, unsigned jobs, Diagnostics& diagnostics);
  ~SweepRunner();
  SweepRunner(const SweepRunner&) = delete;
  SweepRunner& operator=(const SweepRunner&) = delete;

  // Opens traces from standard input, if there are any, before any run. Throws Error if they cannot be read.
  void open_stdin();
  // Executes one run; thread-safe. A failure of the run is its result.
  [[nodiscard]] std::vector<std::string> run(std::size_t run);
  // Executes the runs of the queue with `jobs` threads. If a thread throws, for example for lack of memory, the
  // others stop after their current runs; the exception is thrown when all threads have ended.
  void work(RunQueue& queue);

 private:
  struct Workload;
  struct Program;
  [[nodiscard]] std::shared_ptr<Program> program(std::size_t run, Scenario& scenario);
  [[nodiscard]] std::shared_ptr<Workload> workload(const Scenario& scenario);
  void compile(std::size_t group, Program& program, Scenario& scenario);
  void open(Workload& workload, const Scenario& scenario);
  void keep_warnings(std::size_t group, const std::string& name, const Workload& workload,
                     const Diagnostics& of_program);
  static void note_call(const Workload& workload, std::int64_t bytes, LoadedReplay& loaded);
  void say_warnings();

  const SweepPlan& plan_;
  const unsigned jobs_;
  Diagnostics& diagnostics_;
  using Warning = std::pair<std::pair<std::size_t, std::size_t>, Diagnostic>;  // group, number within the group
  std::mutex mutex_;                                                           // for the three tables
  std::map<std::string, Warning> warnings_;                                    // by workload, place and message
  // Most recently used first.
  std::list<std::pair<std::string, std::shared_ptr<Program>>> programs_;
  std::list<std::pair<std::string, std::shared_ptr<Workload>>> workloads_;
};

}  // namespace convert
