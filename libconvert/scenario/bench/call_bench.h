// SPDX-License-Identifier: MIT
// Times single collective calls on a network: by the times of a machine's library, or by a replay.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/sweep.h"
#include "core/collective.h"
#include "machine/chosen.h"
#include "scenario/bench/call_series.h"
#include "scenario/scenario.h"

namespace convert {

struct BenchRequest {
  Collective collective = Collective::all_reduce;
  std::string network{};                 // as on the command line
  std::string algorithm{};               // as on the command line; empty: chosen by the network
  std::optional<std::uint32_t> npus{};   // the first NPUs of a machine; nothing: all NPUs of the network
  std::optional<std::uint32_t> nodes{};  // of a machine, that have at least one of the NPUs; nothing: as few as fit
  std::vector<SweepSetting> settings{};  // of the replay
  std::shared_ptr<const ChosenMachine> machine{};  // instead of the network's
};

// Returns whether a collective has a benchmark: the collectives of nccl-tests without sendrecv.
[[nodiscard]] bool can_bench(Collective collective);

class CallBench {
 public:
  // Reads the files of the request. Throws Error, also if the network does not have that number of NPUs.
  explicit CallBench(BenchRequest request);

  [[nodiscard]] std::uint32_t npus() const { return npus_; }
  // Returns the series of the request, without calls.
  [[nodiscard]] CallSeries series() const;
  // Returns the time of a call, whose bytes are whole elements; nothing if it has fewer bytes than the algorithm
  // has chunks. Throws Error if the call does not complete. Thread-safe.
  [[nodiscard]] std::optional<TimedCall> time(std::int64_t bytes) const;

 private:
  [[nodiscard]] bool takes_library_time() const;
  [[nodiscard]] bool requires_program() const;
  [[nodiscard]] std::optional<TimedCall> replayed(std::int64_t bytes) const;

  BenchRequest request_;
  Scenario scenario_;
  std::uint32_t npus_ = 0;
  std::uint32_t nodes_ = 0;  // 0: no machine
};

// Returns the algorithms of a collective that et-generate lists, as texts for BenchRequest::algorithm, for a
// network with these dimensions.
[[nodiscard]] std::vector<std::string> algorithms_to_bench(Collective collective, const NetworkConfig& network);

}  // namespace convert
