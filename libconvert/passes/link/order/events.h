// SPDX-License-Identifier: MIT
// Lists the events of each CPU thread in order: begins and ends of operators, launches, waits, hand-overs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/profile.h"
#include "core/rows.h"
#include "core/trace.h"
#include "passes/link/operators.h"

namespace convert {

// Kind of an event. Events of one time happen in this order, unless the threads' own order differs.
enum class EventKind : std::uint8_t {
  operator_end,
  call,       // launches, records or waits
  orphan,     // device operation whose call is unknown: index into ThreadEvents::orphans
  hand_over,  // the thread passes work to another one, and waits for it
  take_over,  // the other thread begins the work
  hand_back,  // the thread continues, as the other one has ended
  operator_begin,
};

struct ThreadEvent {
  std::int64_t time_ns = 0;
  EventKind kind{};
  std::uint32_t index = 0;  // operator, call, device operation, or burst
};

// Work that one thread hands to another, such as the backward pass to autograd's threads.
struct Burst {
  std::uint32_t from = 0;  // thread
  std::uint32_t to = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  bool waits = false;  // `from` does nothing until the end
  bool idle = true;    // `to` did nothing before the start
};

// Device operations that each call started.
class Launches {
 public:
  explicit Launches(const Profile* device);
  // Returns the device operations of a call, by begin.
  [[nodiscard]] std::span<const std::uint32_t> of_call(std::uint32_t call) const { return operations_[call]; }
  [[nodiscard]] std::uint32_t call_of(std::uint32_t operation) const { return call_of_[operation]; }
  // Returns whether several operations have the correlation of a call that launches one kernel.
  [[nodiscard]] bool is_shared(const Profile& device, std::uint32_t call) const;
  // Returns whether a call returns when its operation has ended: cudaMemcpy, or a copy from pageable memory.
  [[nodiscard]] bool blocks(const Profile& device, std::uint32_t call) const;

 private:
  Rows operations_;  // by call
  std::vector<std::uint32_t> call_of_;
};

// A device operation whose call is unknown.
struct Orphan {
  std::uint32_t operation = 0;
  std::uint32_t named_operator = no_index;  // by its External id
};

struct ThreadEvents {
  std::vector<std::vector<ThreadEvent>> threads;
  std::vector<Burst> bursts;
  std::vector<Orphan> orphans;
};
// Returns the events of each CPU thread in order. `device` is null if there is no profile.
[[nodiscard]] ThreadEvents thread_events(const Trace& host, const Profile* device, const Operators& operators,
                                         const Launches& launches);

}  // namespace convert
