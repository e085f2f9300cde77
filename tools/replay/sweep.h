// SPDX-License-Identifier: MIT
// Runs sweeps: many replays of the same traces in one call, on one machine or on several.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/tool.h"
#include "mpi/agreement.h"
#include "replay/options.h"
#include "scenario/sweep_run.h"

namespace tools {

struct SweepOptions {
  std::vector<std::string> axes;  // sweep files and KEY=A,B,C
  std::optional<std::string> plot;
  std::optional<std::string> relative_to;
  bool restart = false;

  [[nodiscard]] bool wanted() const { return !axes.empty(); }
  // Returns the sweep file; nothing if there are only axes. Throws Error(usage) if there are several.
  [[nodiscard]] std::optional<std::string> file() const;
};

void add_sweep_options(App& app, SweepOptions& to);
// Throws Error(usage) if there are options of sweeps without a sweep.
void check_sweep_options(const SweepOptions& options);

// Team of the processes of one sweep. One process leads: it has the table and hands out runs.
class SweepTeam {
 public:
  virtual ~SweepTeam() = default;
  SweepTeam(const SweepTeam&) = delete;
  SweepTeam& operator=(const SweepTeam&) = delete;

  [[nodiscard]] virtual bool leads() const = 0;
  // Called by all: the others wait until the leader lets them begin.
  virtual void begin() = 0;
  // Called by all, after begin(). Throws Error(usage) on the leader if the inputs of another process differ.
  virtual void compare(const ProcessInputs& inputs) = 0;
  // Called by the leader: hands out runs to the others until all others have called end().
  virtual void serve(convert::RunQueue& queue) = 0;
  // Called by the others: returns the leader's queue, valid until end().
  [[nodiscard]] virtual std::unique_ptr<convert::RunQueue> queue() = 0;
  // Called by the others, last: no more runs are taken.
  virtual void end() = 0;

 protected:
  SweepTeam() = default;
};

// Returns the exit status. `team` is null if this process is the only one.
[[nodiscard]] int run_sweep(const SweepOptions& sweep, const ReplayCommand& command,
                            const std::optional<std::string>& output, Context& context,
                            std::unique_ptr<SweepTeam> team);

}  // namespace tools
