// SPDX-License-Identifier: MIT
// Reads the device trace as the reference program does: operators by start, their own time, the operator of another
// thread that they follow, and the device operations that they launch.
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
  Number exclusive;  // without the operators inside, as far as the reference sees them
  std::int64_t external_id = -1;
  std::int64_t rf_id = -1;
  std::int64_t follows = 0;  // rf_id of an operator of another thread; 0: none
  std::uint32_t thread = 0;  // into Profile::threads
  std::uint32_t op = 0;      // into Profile::cpu_ops
};

struct DeviceTrace {
  std::vector<CpuOp> cpu_ops;  // by start, then as in the file
  // Names a device operation, and the External id of the operator that launched it.
  struct Launched {
    std::uint64_t external_id = 0;
    std::uint32_t op = 0;  // into Profile::device_ops
  };
  std::vector<Launched> launched;  // by External id, then start
  IdLookup by_rf_id;               // into cpu_ops
  IdLookup first_launched;         // by External id, into launched

  [[nodiscard]] std::span<const Launched> launched_by(std::int64_t external_id) const;
};

// Returns what the reference program reads from the profile. Throws Error(input) where that fails, and for times
// that cannot be told exactly: finer than nanoseconds, or beyond 285 years.
[[nodiscard]] DeviceTrace read_device_trace(const Profile& profile);

// Lists the operators of each thread, as positions in cpu_ops, by start.
struct Threads {
  std::vector<std::uint32_t> ops;
  std::vector<std::uint32_t> begin;  // of each thread of the profile, in ops
  std::vector<std::uint32_t> end;
  std::vector<std::uint32_t> order;  // threads that have operators, by the start of their first
};
// Returns the operators by thread; `ops` is by start, `threads` is the number of the profile's threads.
[[nodiscard]] Threads threads_of(const std::vector<CpuOp>& ops, std::size_t threads);

// Returns the positions of these starts, by start, then as they stand.
[[nodiscard]] std::vector<std::uint32_t> order_by_start(const std::vector<double>& starts);

// Do the steps of read_device_trace(), one file each: set CpuOp::exclusive, set CpuOp::follows, and return the
// device operations with the operators that launched them, as DeviceTrace::launched lists them. The first and the
// last throw Error(input) where the reference program fails or reads something else.
void set_exclusive_times(std::vector<CpuOp>& ops, const Threads& threads, const Profile& profile);
void set_followed(std::vector<CpuOp>& ops, const Threads& threads);
[[nodiscard]] std::vector<DeviceTrace::Launched> match_launches(const std::vector<CpuOp>& ops,
                                                                const Threads& threads, const Profile& profile);

}  // namespace convert::compat
