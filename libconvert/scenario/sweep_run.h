// SPDX-License-Identifier: MIT
// Does the runs of a sweep: each is a replay, and its result a line of the table.
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

// Returns the columns that a run fills, after those of the axes.
[[nodiscard]] const std::vector<std::string>& sweep_result_columns();
// Returns the cells of a run for these columns: status, total_ns, …, message.
[[nodiscard]] std::vector<std::string> sweep_result(const ReplayResult& result);

// Hands out runs and takes their results; for several threads at once.
class RunQueue {
 public:
  virtual ~RunQueue() = default;
  RunQueue(const RunQueue&) = delete;
  RunQueue& operator=(const RunQueue&) = delete;
  // Returns the next run; nothing if there is none left.
  [[nodiscard]] virtual std::optional<std::size_t> take() = 0;
  virtual void put(std::size_t run, const std::vector<std::string>& result) = 0;

 protected:
  RunQueue() = default;
};

// Does runs. It decodes a workload once, and compiles it once for all runs that differ only in the network's
// numbers; it gives up what has not been used for a while.
class SweepRunner {
 public:
  // Does at most `jobs` runs at once. Warnings about the workload go to the diagnostics. `plan` must outlive this.
  SweepRunner(const SweepPlan& plan, unsigned jobs, Diagnostics& diagnostics);
  ~SweepRunner();
  SweepRunner(const SweepRunner&) = delete;
  SweepRunner& operator=(const SweepRunner&) = delete;

  // Opens traces from standard input, if there are any, before any run. Throws Error if they cannot be read.
  void open_stdin();
  // Does one run; thread-safe. A failure of the run is its result.
  [[nodiscard]] std::vector<std::string> run(std::size_t run);
  // Does what the queue hands out, by `jobs` threads. An exception of one of them, such as a lack of memory, stops
  // the others after the run that each does, and is thrown when all have ended.
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
  using Warning = std::pair<std::pair<std::size_t, std::size_t>, Diagnostic>;  // with its group and number there
  std::mutex mutex_;                                                           // of the three tables
  std::map<std::string, Warning> warnings_;                                    // by workload, place and message
  // The last used one first.
  std::list<std::pair<std::string, std::shared_ptr<Program>>> programs_;
  std::list<std::pair<std::string, std::shared_ptr<Workload>>> workloads_;
};

}  // namespace convert
