// SPDX-License-Identifier: MIT
// Reads the device trace like the reference program: operators by start, their exclusive times, the operators of
// other threads that they follow, and the device operations that they launch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/id_lookup.h"
#include "core/profile.h"
#include "passes/compat/number.h"

namespace convert::compat {

struct CpuOp {
  Number start, duration;
  Number exclusive;  // without the time of operators inside, as the reference program finds them
  std::int64_t external_id = -1;
  std::int64_t rf_id = -1;
  std::int64_t follows = 0;  // rf_id of an operator of another thread; 0: none
  std::uint32_t thread = 0;  // index into Profile::threads
  std::uint32_t op = 0;      // index into Profile::cpu_ops
};

struct DeviceTrace {
  std::vector<CpuOp> cpu_ops;  // by start, then in file order
  // A device operation, and the External id of the operator that launched it.
  struct Launched {
    std::uint64_t external_id = 0;
    std::uint32_t op = 0;  // index into Profile::device_ops
  };
  std::vector<Launched> launched;  // by External id, then start
  IdLookup by_rf_id;               // into cpu_ops
  IdLookup first_launched;         // by External id, into launched

  [[nodiscard]] std::span<const Launched> launched_by(std::int64_t external_id) const;
};

// Returns the reference program's view of the profile. Throws Error(input) if the reference program fails, or for
// times without an exact value: finer than nanoseconds, or beyond 285 years.
[[nodiscard]] DeviceTrace read_device_trace(const Profile& profile);

// Operators of each thread, as positions in cpu_ops, by start.
struct Threads {
  std::vector<std::uint32_t> ops;
  std::vector<std::uint32_t> begin;  // of each thread of the profile, in ops
  std::vector<std::uint32_t> end;
  std::vector<std::uint32_t> order;  // threads that have operators, by the start of the first one
};
// Returns the operators by thread. `ops` is sorted by start; `threads` is the number of threads of the profile.
[[nodiscard]] Threads threads_of(const std::vector<CpuOp>& ops, std::size_t threads);

// Returns the positions of these starts, by start, then by position.
[[nodiscard]] std::vector<std::uint32_t> order_by_start(const std::vector<double>& starts);

// Steps of read_device_trace(), one source file each: set CpuOp::exclusive, set CpuOp::follows, and return
// DeviceTrace::launched. The first and the last throw Error(input) if the reference program fails or would read
// something else.
void set_exclusive_times(std::vector<CpuOp>& ops, const Threads& threads, const Profile& profile);
void set_followed(std::vector<CpuOp>& ops, const Threads& threads);
[[nodiscard]] std::vector<DeviceTrace::Launched> match_launches(const std::vector<CpuOp>& ops,
                                                                const Threads& threads, const Profile& profile);

}  // namespace convert::compat
